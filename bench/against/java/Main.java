// Answers the lines of ../README.md with dev.cel (CEL-Java). The process lives for all passes, so later ones are warm.
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.ToNumberPolicy;
import dev.cel.bundle.Cel;
import dev.cel.bundle.CelFactory;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelRuntime;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.concurrent.Callable;

public class Main {
  // Whole numbers are long, as dev.cel wants them.
  static final Gson GSON =
      new GsonBuilder().setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE).create();
  static volatile Object sink;

  static class Asked {
    String expr;
    Map<String, Object> vars;
    long bench;
  }

  // Nanoseconds of a call: as many calls as fill the time.
  static double measure(long milliseconds, Callable<Object> call) throws Exception {
    for (long calls = 1; ; calls *= 2) {
      long start = System.nanoTime();
      for (long i = 0; i < calls; i++) sink = call.call();
      long taken = System.nanoTime() - start;
      if (taken >= milliseconds * 1_000_000) return (double) taken / calls;
    }
  }

  static Map<String, Object> answer(Asked asked) throws Exception {
    var builder = CelFactory.standardCelBuilder();
    for (String name : asked.vars.keySet()) builder.addVar(name, SimpleType.DYN);
    Cel cel = builder.setStandardMacros(dev.cel.parser.CelStandardMacro.STANDARD_MACROS).build();
    CelRuntime.Program program = cel.createProgram(cel.compile(asked.expr).getAst());
    return Map.of(
        "value", program.eval(asked.vars),
        "evalNs", measure(asked.bench, () -> program.eval(asked.vars)),
        "compileNs", measure(asked.bench, () -> cel.createProgram(cel.compile(asked.expr).getAst())));
  }

  public static void main(String[] args) throws Exception {
    var in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null; ) {
      Map<String, Object> out;
      try {
        out = answer(GSON.fromJson(line, Asked.class));
      } catch (Exception error) {
        out = Map.of("error", String.valueOf(error.getMessage()));
      }
      System.out.println(GSON.toJson(out));
      System.out.flush();
    }
  }
}
