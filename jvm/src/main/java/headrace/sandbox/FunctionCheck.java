package headrace.sandbox;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction;
import org.apache.spark.sql.catalyst.analysis.UnresolvedGenerator;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedArgumentExpression;
import org.apache.spark.sql.catalyst.expressions.SchemaOfXml;
import org.apache.spark.sql.catalyst.expressions.StructsToXml;
import org.apache.spark.sql.catalyst.expressions.XmlToStructs;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Refuses functions and expressions that run code or read files: Java's, Python's, XML schemas. */
final class FunctionCheck {
  private static final List<String> EXPRESSION_PACKAGES =
      List.of(SandboxCheck.SPARK, "org.apache.iceberg.", "headrace.");
  private static final Set<String> REFUSED_EXPRESSIONS =
      Set.of(
          "CallMethodViaReflection",
          "TryReflect",
          "PythonUDF",
          "PythonUDAF",
          "PythonUDTF",
          "UnresolvedPolymorphicPythonUDTF",
          "FromProtobuf",
          "ToProtobuf",
          "FromAvro",
          "ToAvro",
          "SchemaOfAvro",
          "HiveSimpleUDF",
          "HiveGenericUDF",
          "HiveUDAFFunction",
          "HiveGenericUDTF");
  private static final Set<String> XML_FUNCTIONS = Set.of("from_xml", "schema_of_xml", "to_xml");

  private final SandboxPolicy policy;

  FunctionCheck(SandboxPolicy policy) {
    this.policy = policy;
  }

  void checkClass(Expression expression) {
    String name = expression.getClass().getName();
    String simple = name.substring(name.lastIndexOf('.') + 1);
    boolean isKnown = EXPRESSION_PACKAGES.stream().anyMatch(name::startsWith);
    if (!isKnown || REFUSED_EXPRESSIONS.contains(simple)) {
      throw new SandboxRefusal("the expression " + simple);
    }
  }

  void check(Expression expression) {
    if (expression instanceof UnresolvedFunction function) {
      checkFunction(function.nameParts(), function.arguments());
    } else if (expression instanceof UnresolvedGenerator generator) {
      checkFunctionName(generator.name().funcName());
    } else if (expression instanceof XmlToStructs xml) {
      checkXmlOptions(xml.options());
    } else if (expression instanceof SchemaOfXml xml) {
      checkXmlOptions(xml.options());
    } else if (expression instanceof StructsToXml xml) {
      checkXmlOptions(xml.options());
    }
  }

  void checkFunction(Seq<String> qualified, Seq<Expression> arguments) {
    List<String> parts = CollectionConverters.asJava(qualified);
    if (parts.size() > 1 && parts.get(0).equalsIgnoreCase("spark_catalog")) {
      throw new SandboxRefusal("the catalog spark_catalog");
    }
    String name = SandboxPolicy.lower(parts.get(parts.size() - 1));
    checkFunctionName(name);
    if (XML_FUNCTIONS.contains(name)) {
      checkXmlArguments(name, CollectionConverters.asJava(arguments));
    }
  }

  private void checkFunctionName(String name) {
    if (policy.refusesFunction(name)) {
      throw new SandboxRefusal(SandboxPolicy.lower(name) + "()");
    }
  }

  /** Options of XML are a map of literals, so that it is known before anything is resolved. */
  private static void checkXmlArguments(String name, List<Expression> arguments) {
    int options = name.equals("from_xml") ? 2 : 1;
    for (int i = 0; i < arguments.size(); i++) {
      Expression argument = arguments.get(i);
      boolean isOptions = i >= options || argument instanceof NamedArgumentExpression;
      if (isOptions && !isMapOfLiterals(argument)) {
        throw new SandboxRefusal(name + "() with other options than a map of literals");
      }
    }
  }

  private static boolean isMapOfLiterals(Expression value) {
    return value instanceof UnresolvedFunction function
        && isMap(CollectionConverters.asJava(function.nameParts()))
        && arguments(function).allMatch(FunctionCheck::isHarmlessLiteral);
  }

  private static boolean isMap(List<String> name) {
    return name.size() == 1 && name.get(0).equalsIgnoreCase("map");
  }

  private static Stream<Expression> arguments(UnresolvedFunction function) {
    return CollectionConverters.asJava(function.arguments()).stream();
  }

  private static boolean isHarmlessLiteral(Expression argument) {
    return argument instanceof Literal && !namesValidation(String.valueOf(argument));
  }

  private static void checkXmlOptions(scala.collection.Map<String, String> options) {
    if (CollectionConverters.asJava(options).keySet().stream()
        .anyMatch(FunctionCheck::namesValidation)) {
      throw new SandboxRefusal("the option rowValidationXSDPath");
    }
  }

  private static boolean namesValidation(String key) {
    return SandboxPolicy.lower(key).contains("xsd");
  }
}
