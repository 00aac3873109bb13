// Messages that an API server has code for, besides those that are values in CEL.
//
// Idea: protobuf reads an Any if some package of the program has registered its message, whoever wanted
// it: the libraries for tracing, metrics and OpenAPI bring theirs. CEL then says that it does not know the
// type, instead of that it could not read it. Names by package, each between spaces. Source: Kubernetes
// 1.37.2, asked for every name. Tested by interpreter/wellknown_test.cc.
#include <algorithm>
#include <iterator>
#include <string>

#include "interpreter/wire.h"

namespace portcullis {
namespace {

struct Package {
  std::string_view name;
  std::string_view messages;
};

constexpr Package kPackages[] = {
    {"cel.expr",
     " CheckedExpr Constant Decl Decl.FunctionDecl Decl.FunctionDecl.Overload Decl.IdentDecl EnumValue"
     " ErrorSet EvalState EvalState.Result Explain Explain.ExprStep Expr Expr.Call Expr.Comprehension"
     " Expr.CreateList Expr.CreateStruct Expr.CreateStruct.Entry Expr.Ident Expr.Select ExprValue"
     " ListValue MapValue MapValue.Entry ParsedExpr Reference SourceInfo SourceInfo.Extension"
     " SourceInfo.Extension.Version Status Type Type.AbstractType Type.FunctionType Type.ListType"
     " Type.MapType UnknownSet Value "},
    {"gnostic.extension.v1", " ExtensionHandlerRequest ExtensionHandlerResponse Version Wrapper "},
    {"google.api", " HttpBody "},
    {"google.api.expr.v1alpha1",
     " CheckedExpr Constant Decl Decl.FunctionDecl Decl.FunctionDecl.Overload Decl.IdentDecl EnumValue"
     " ErrorSet EvalState EvalState.Result Explain Explain.ExprStep Expr Expr.Call Expr.Comprehension"
     " Expr.CreateList Expr.CreateStruct Expr.CreateStruct.Entry Expr.Ident Expr.Select ExprValue"
     " ListValue MapValue MapValue.Entry ParsedExpr Reference SourceInfo SourceInfo.Extension"
     " SourceInfo.Extension.Version SourcePosition Type Type.AbstractType Type.FunctionType Type.ListType"
     " Type.MapType UnknownSet Value "},
    {"google.protobuf",
     " DescriptorProto DescriptorProto.ExtensionRange DescriptorProto.ReservedRange EnumDescriptorProto"
     " EnumDescriptorProto.EnumReservedRange EnumOptions EnumValueDescriptorProto EnumValueOptions"
     " ExtensionRangeOptions ExtensionRangeOptions.Declaration FeatureSet FeatureSet.VisibilityFeature"
     " FeatureSetDefaults FeatureSetDefaults.FeatureSetEditionDefault FieldDescriptorProto FieldMask"
     " FieldOptions FieldOptions.EditionDefault FieldOptions.FeatureSupport FileDescriptorProto"
     " FileDescriptorSet FileOptions GeneratedCodeInfo GeneratedCodeInfo.Annotation MessageOptions"
     " MethodDescriptorProto MethodOptions OneofDescriptorProto OneofOptions ServiceDescriptorProto"
     " ServiceOptions SourceCodeInfo SourceCodeInfo.Location UninterpretedOption "},
    {"google.rpc",
     " BadRequest BadRequest.FieldViolation DebugInfo ErrorInfo Help Help.Link LocalizedMessage"
     " PreconditionFailure PreconditionFailure.Violation QuotaFailure QuotaFailure.Violation RequestInfo"
     " ResourceInfo RetryInfo Status "},
    {"grpc.binarylog.v1",
     " Address ClientHeader GrpcLogEntry Message Metadata MetadataEntry ServerHeader Trailer "},
    {"grpc.health.v1", " HealthCheckRequest HealthCheckResponse HealthListRequest HealthListResponse "},
    {"io.prometheus.client",
     " Bucket BucketSpan Counter Exemplar Gauge Histogram LabelPair Metric MetricFamily Quantile Summary"
     " Untyped "},
    {"openapi.v2",
     " AdditionalPropertiesItem Any ApiKeySecurity BasicAuthenticationSecurity BodyParameter Contact"
     " Default Definitions Document Examples ExternalDocs FileSchema FormDataParameterSubSchema Header"
     " HeaderParameterSubSchema Headers Info ItemsItem JsonReference License NamedAny NamedHeader"
     " NamedParameter NamedPathItem NamedResponse NamedResponseValue NamedSchema"
     " NamedSecurityDefinitionsItem NamedString NamedStringArray NonBodyParameter"
     " Oauth2AccessCodeSecurity Oauth2ApplicationSecurity Oauth2ImplicitSecurity Oauth2PasswordSecurity"
     " Oauth2Scopes Operation Parameter ParameterDefinitions ParametersItem PathItem"
     " PathParameterSubSchema Paths PrimitivesItems Properties QueryParameterSubSchema Response"
     " ResponseDefinitions ResponseValue Responses Schema SchemaItem SecurityDefinitions"
     " SecurityDefinitionsItem SecurityRequirement StringArray Tag TypeItem VendorExtension Xml "},
    {"openapi.v3",
     " AdditionalPropertiesItem Any AnyOrExpression Callback CallbackOrReference CallbacksOrReferences"
     " Components Contact DefaultType Discriminator Document Encoding Encodings Example"
     " ExampleOrReference ExamplesOrReferences Expression ExternalDocs Header HeaderOrReference"
     " HeadersOrReferences Info ItemsItem License Link LinkOrReference LinksOrReferences MediaType"
     " MediaTypes NamedAny NamedCallbackOrReference NamedEncoding NamedExampleOrReference"
     " NamedHeaderOrReference NamedLinkOrReference NamedMediaType NamedParameterOrReference NamedPathItem"
     " NamedRequestBodyOrReference NamedResponseOrReference NamedSchemaOrReference"
     " NamedSecuritySchemeOrReference NamedServerVariable NamedString NamedStringArray OauthFlow"
     " OauthFlows Object Operation Parameter ParameterOrReference ParametersOrReferences PathItem Paths"
     " Properties Reference RequestBodiesOrReferences RequestBody RequestBodyOrReference Response"
     " ResponseOrReference Responses ResponsesOrReferences Schema SchemaOrReference SchemasOrReferences"
     " SecurityRequirement SecurityScheme SecuritySchemeOrReference SecuritySchemesOrReferences Server"
     " ServerVariable ServerVariables SpecificationExtension StringArray Strings Tag Xml "},
    {"opentelemetry.proto.collector.trace.v1",
     " ExportTracePartialSuccess ExportTraceServiceRequest ExportTraceServiceResponse "},
    {"opentelemetry.proto.common.v1",
     " AnyValue ArrayValue EntityRef InstrumentationScope KeyValue KeyValueList "},
    {"opentelemetry.proto.resource.v1", " Resource "},
    {"opentelemetry.proto.trace.v1",
     " ResourceSpans ScopeSpans Span Span.Event Span.Link Status TracesData "},
    {"pb", " GoFeatures "},
};

}  // namespace

bool is_linked_message(std::string_view name) {
  return std::any_of(std::begin(kPackages), std::end(kPackages), [&](const Package& p) {
    if (!name.starts_with(p.name) || name.substr(p.name.size()).substr(0, 1) != ".") return false;
    std::string message = ' ' + std::string(name.substr(p.name.size() + 1)) + ' ';
    return message.find(' ', 1) == message.size() - 1 && p.messages.find(message) != std::string_view::npos;
  });
}

}  // namespace portcullis
