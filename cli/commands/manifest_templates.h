// The texts that `portcullis manifests` fills in: @NAME@ stands for a value, and a line of `# @if NAME` to `# @end` is
// left out unless NAME holds (manifests.cc). They are YAML for people, who keep them in their own repositories, so what is
// not obvious has a comment there.
// Tested by tests/server/manifests.py.
#pragma once

namespace portcullis {

inline constexpr const char* kServerManifests = R"yaml(# @if namespace
apiVersion: v1
kind: Namespace
metadata:
  name: @NAMESPACE@
  labels:
    pod-security.kubernetes.io/enforce: restricted
---
# @end
apiVersion: v1
kind: ServiceAccount
metadata:
  name: @NAME@
  namespace: @NAMESPACE@
automountServiceAccountToken: false
---
# @if cluster
# What the server reads. It changes nothing.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: @NAMESPACE@-@NAME@
rules:
@RBAC_RULES@
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: @NAMESPACE@-@NAME@
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: @NAMESPACE@-@NAME@
subjects:
- kind: ServiceAccount
  name: @NAME@
  namespace: @NAMESPACE@
---
# @end
# @if files
# The server reads changed policies by itself, some seconds after the kubelet has them.
apiVersion: v1
kind: ConfigMap
metadata:
  name: @NAME@-policies
  namespace: @NAMESPACE@
data:
@FILES@
---
# @end
# @if cert_manager
apiVersion: cert-manager.io/v1
kind: Issuer
metadata:
  name: @NAME@
  namespace: @NAMESPACE@
spec:
  selfSigned: {}
---
# The server reads a renewed certificate by itself.
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: @NAME@
  namespace: @NAMESPACE@
spec:
  secretName: @NAME@-tls
  dnsNames:
  - @NAME@.@NAMESPACE@.svc
  - @NAME@.@NAMESPACE@.svc.cluster.local
  issuerRef:
    kind: Issuer
    name: @NAME@
  privateKey:
    algorithm: ECDSA
    size: 256
    rotationPolicy: Always
---
# @end
# @if certificate_files
apiVersion: v1
kind: Secret
metadata:
  name: @NAME@-tls
  namespace: @NAMESPACE@
type: kubernetes.io/tls
data:
  tls.crt: @CERTIFICATE@
  tls.key: @KEY@
---
# @end
apiVersion: apps/v1
kind: Deployment
metadata:
  name: @NAME@
  namespace: @NAMESPACE@
  labels:
    app.kubernetes.io/name: @NAME@
spec:
  replicas: @REPLICAS@
  strategy:
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  selector:
    matchLabels:
      app.kubernetes.io/name: @NAME@
  template:
    metadata:
      labels:
        app.kubernetes.io/name: @NAME@
      annotations:
        prometheus.io/scrape: "true"
        prometheus.io/port: "8080"
    spec:
      serviceAccountName: @NAME@
      # @if cluster
      automountServiceAccountToken: true
      # @end
      # @if files
      automountServiceAccountToken: false
      # @end
      # Longer than --shutdown-delay and --shutdown-timeout together, so that the kubelet ends nothing that answers.
      terminationGracePeriodSeconds: 50
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        fsGroup: 65532
        seccompProfile:
          type: RuntimeDefault
      topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: kubernetes.io/hostname
        whenUnsatisfiable: ScheduleAnyway
        labelSelector:
          matchLabels:
            app.kubernetes.io/name: @NAME@
      - maxSkew: 1
        topologyKey: topology.kubernetes.io/zone
        whenUnsatisfiable: ScheduleAnyway
        labelSelector:
          matchLabels:
            app.kubernetes.io/name: @NAME@
      containers:
      - name: server
        image: @IMAGE@
        args:
        # @if cluster
        - --in-cluster
        # @end
        # @if files
        - --policies=/policies
        # @end
        # @if scopes
@SCOPES@
        # @end
        - --cert-dir=/certs
        - --log-format=json
        - --shutdown-delay=10s
        - --shutdown-timeout=30s
        - --max-pending-bytes=67108864
        ports:
        - name: https
          containerPort: 9443
        - name: metrics
          containerPort: 8080
        readinessProbe:
          httpGet:
            path: /readyz
            port: metrics
          periodSeconds: 2
          failureThreshold: 2
        livenessProbe:
          httpGet:
            path: /livez
            port: metrics
          periodSeconds: 10
          failureThreshold: 3
        startupProbe:
          httpGet:
            path: /readyz
            port: metrics
          periodSeconds: 1
          failureThreshold: 120
        resources:
          requests:
            cpu: 100m
            memory: 128Mi
          limits:
            memory: 512Mi
        securityContext:
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
          capabilities:
            drop: [ALL]
        volumeMounts:
        - name: certs
          mountPath: /certs
          readOnly: true
        # @if files
        - name: policies
          mountPath: /policies
          readOnly: true
        # @end
      volumes:
      - name: certs
        secret:
          secretName: @NAME@-tls
      # @if files
      - name: policies
        configMap:
          name: @NAME@-policies
      # @end
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: @NAME@
  namespace: @NAMESPACE@
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      app.kubernetes.io/name: @NAME@
---
apiVersion: v1
kind: Service
metadata:
  name: @NAME@
  namespace: @NAMESPACE@
  labels:
    app.kubernetes.io/name: @NAME@
spec:
  selector:
    app.kubernetes.io/name: @NAME@
  ports:
  - name: https
    port: 443
    targetPort: https
  - name: metrics
    port: 8080
    targetPort: metrics
# @if autoscaled
---
# The metric comes from an adapter, for example prometheus-adapter with the rule
#   seriesQuery: portcullis_http_request_duration_seconds_bucket{namespace!="",pod!=""}
#   resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}
#   name: {as: portcullis_http_request_duration_seconds_p99}
#   metricsQuery: histogram_quantile(0.99, sum by (le, <<.GroupBy>>) (rate(<<.Series>>{<<.LabelMatchers>>}[2m])))
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: @NAME@
  namespace: @NAMESPACE@
spec:
  minReplicas: @REPLICAS@
  maxReplicas: @MOST_REPLICAS@
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: @NAME@
  metrics:
  - type: Pods
    pods:
      metric:
        name: portcullis_http_request_duration_seconds_p99
      target:
        type: AverageValue
        averageValue: 10m
# @end
)yaml";

// The beginning of a configuration.
inline constexpr const char* kWebhookConfiguration = R"yaml(---
apiVersion: admissionregistration.k8s.io/v1
kind: @KIND@
metadata:
  name: @NAMESPACE@-@NAME@
  # @if cert_manager
  annotations:
    cert-manager.io/inject-ca-from: @NAMESPACE@/@NAME@
  # @end
webhooks:
)yaml";

// A webhook; the rules are those of its policies.
inline constexpr const char* kWebhook = R"yaml(- name: @WEBHOOK@.@NAME@.@NAMESPACE@.svc
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: @FAILURE_POLICY@
  timeoutSeconds: @TIMEOUT@
  matchPolicy: Equivalent
  # @if mutating
  reinvocationPolicy: @REINVOCATION@
  # @end
  clientConfig:
    # @if certificate_files
    caBundle: @CA_BUNDLE@
    # @end
    service:
      namespace: @NAMESPACE@
      name: @NAME@
      port: 443
      path: /@PATH@
  # @if cluster
  # All requests, since policies may be made for any.
  # @end
  # @if files
  # The requests that the policies have rules for: print this again when their rules change.
  # @end
  # @if versions
  # Each custom resource at a version that the policies of this path ask for: the API server converts objects only to a version
  # that a webhook asks for, and not those whose version it asks for.
  # @end
  rules:
@RULES@
  # Nothing of the system's namespaces waits for the server.
  namespaceSelector:
    matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values: [@LEFT_OUT@]
  matchConditions:
  - name: not-the-server-itself
    expression: request.userInfo.username != 'system:serviceaccount:@NAMESPACE@:@NAME@'
  # @if exceptions
  # What the cluster and the server need to start, and objects that no policy is about (Events), do not wait for the server. So
  # no policy sees them: if one should, take the condition away (or print this with --all-requests).
  - name: not-the-api-server
    expression: request.userInfo.username != 'system:apiserver'
  - name: no-nodes
    expression: request.resource.group != '' || request.resource.resource != 'nodes'
  - name: no-csi-nodes
    expression: request.resource.group != 'storage.k8s.io' || request.resource.resource != 'csinodes'
  - name: no-certificate-signing-requests
    expression: request.resource.group != 'certificates.k8s.io' || request.resource.resource != 'certificatesigningrequests'
  - name: no-leases
    expression: request.resource.group != 'coordination.k8s.io' || request.resource.resource != 'leases'
  - name: no-ip-addresses
    expression: request.resource.group != 'networking.k8s.io' || request.resource.resource != 'ipaddresses'
  - name: not-the-rights-of-the-server
    expression: >-
      request.resource.group != 'rbac.authorization.k8s.io' || request.name != '@NAMESPACE@-@NAME@' ||
      !(request.resource.resource in ['clusterroles', 'clusterrolebindings'])
  - name: no-events
    expression: request.resource.resource != 'events'
  # @end
)yaml";

}  // namespace portcullis
