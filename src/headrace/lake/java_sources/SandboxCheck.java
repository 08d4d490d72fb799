package headrace;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.analysis.ExpressionWithUnresolvedIdentifier;
import org.apache.spark.sql.catalyst.analysis.GlobalTempView$;
import org.apache.spark.sql.catalyst.analysis.PlanWithUnresolvedIdentifier;
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier;
import org.apache.spark.sql.catalyst.analysis.ResolvedNamespace;
import org.apache.spark.sql.catalyst.analysis.ResolvedPersistentFunc;
import org.apache.spark.sql.catalyst.analysis.ResolvedPersistentView;
import org.apache.spark.sql.catalyst.analysis.ResolvedProcedure;
import org.apache.spark.sql.catalyst.analysis.ResolvedTable;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunctionName;
import org.apache.spark.sql.catalyst.analysis.UnresolvedGenerator;
import org.apache.spark.sql.catalyst.analysis.UnresolvedIdentifier;
import org.apache.spark.sql.catalyst.analysis.UnresolvedNamespace;
import org.apache.spark.sql.catalyst.analysis.UnresolvedProcedure;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.analysis.UnresolvedTable;
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableOrView;
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction;
import org.apache.spark.sql.catalyst.analysis.UnresolvedView;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedArgumentExpression;
import org.apache.spark.sql.catalyst.expressions.SchemaOfXml;
import org.apache.spark.sql.catalyst.expressions.StructsToXml;
import org.apache.spark.sql.catalyst.expressions.XmlToStructs;
import org.apache.spark.sql.catalyst.plans.logical.Call;
import org.apache.spark.sql.catalyst.plans.logical.CreateNamespace;
import org.apache.spark.sql.catalyst.plans.logical.CreateView;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OptionList;
import org.apache.spark.sql.catalyst.plans.logical.SetNamespaceLocation;
import org.apache.spark.sql.catalyst.plans.logical.SetNamespaceProperties;
import org.apache.spark.sql.catalyst.plans.logical.SetTableLocation;
import org.apache.spark.sql.catalyst.plans.logical.SetTableProperties;
import org.apache.spark.sql.catalyst.plans.logical.SetViewProperties;
import org.apache.spark.sql.catalyst.plans.logical.TableSpec;
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedTableSpec;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.execution.command.CreateViewCommand;
import org.apache.spark.sql.execution.command.ResetCommand;
import org.apache.spark.sql.execution.command.SetCatalogCommand;
import org.apache.spark.sql.execution.command.SetCommand;
import org.apache.spark.sql.execution.datasources.DataSource$;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.internal.SQLConf$;
import org.apache.spark.sql.types.DataType;
import scala.Option;
import scala.Product;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Looks at every node of one plan, as parsed or as analysed, and refuses what is not known to stay inside
 * the lake. Whatever a node holds is looked at, whether Spark counts it as a child or not.
 */
public final class SandboxCheck {
    private static final String SPARK = "org.apache.spark.sql.";
    private static final String[] EXPRESSION_PACKAGES = {SPARK, "org.apache.iceberg.", "headrace."};
    private static final List REFUSED_EXPRESSIONS =
            java.util.Arrays.asList(
                    new String[] {
                        "CallMethodViaReflection", "TryReflect", "PythonUDF", "PythonUDAF", "PythonUDTF",
                        "UnresolvedPolymorphicPythonUDTF", "FromProtobuf", "ToProtobuf", "FromAvro", "ToAvro",
                        "SchemaOfAvro", "HiveSimpleUDF", "HiveGenericUDF", "HiveUDAFFunction", "HiveGenericUDTF"
                    });
    private static final List XML_FUNCTIONS =
            java.util.Arrays.asList(new String[] {"from_xml", "schema_of_xml", "to_xml"});
    private static final List FILE_FORMATS =
            java.util.Arrays.asList(
                    new String[] {
                        "CSVFileFormat", "JsonFileFormat", "ParquetFileFormat", "OrcFileFormat",
                        "TextFileFormat", "XmlFileFormat", "BinaryFileFormat"
                    });
    private static final List ORPHAN_PLACES =
            java.util.Arrays.asList(
                    new String[] {
                        "location", "file_list_view", "equal_schemes", "equal_authorities", "prefix_mismatch_mode"
                    });
    private static final int ORPHAN_ARGUMENTS = 2;
    private static final List PLACEHOLDER = Collections.singletonList("headrace_placeholder");

    private final SandboxPolicy policy;
    private final IdentityHashMap seen = new IdentityHashMap();
    private final ArrayDeque pending = new ArrayDeque();

    public SandboxCheck(SandboxPolicy policy) {
        this.policy = policy;
    }

    public void check(Object root) {
        pending.push(root);
        while (!pending.isEmpty()) {
            visit(pending.pop());
        }
    }

    private void visit(Object value) {
        if (value instanceof DataType || value instanceof Literal || value instanceof CatalogTable) {
            return;
        }
        if (value instanceof LogicalPlan) {
            if (seen.put(value, value) == null) {
                checkPlan((LogicalPlan) value);
                pushParts(value);
            }
        } else if (value instanceof Expression) {
            checkExpression((Expression) value);
            pushParts(value);
        } else {
            if (value instanceof TableSpec) {
                checkTableSpec((TableSpec) value);
            }
            pushParts(value);
        }
    }

    private void pushParts(Object value) {
        scala.collection.Iterator parts = null;
        if (value instanceof LocalRelation || value instanceof LogicalRelation) {
            return;
        }
        if (value instanceof scala.collection.Iterable) {
            parts = ((scala.collection.Iterable) value).iterator();
        } else if (value instanceof Product) {
            parts = ((Product) value).productIterator();
        }
        while (parts != null && parts.hasNext()) {
            Object part = parts.next();
            if (part instanceof Product || part instanceof scala.collection.Iterable) {
                pending.push(part);
            }
        }
    }

    private void checkPlan(LogicalPlan plan) {
        String name = plan.getClass().getName().replace("$", "");
        if (!name.startsWith(SPARK) || !policy.knowsPlan(name.substring(SPARK.length()))) {
            throw new SandboxRefusal("the plan node " + plan.getClass().getSimpleName());
        }
        checkNames(plan);
        checkCatalogs(plan);
        checkCommand(plan);
    }

    private void checkNames(LogicalPlan plan) {
        if (plan instanceof UnresolvedRelation) {
            checkRelation((UnresolvedRelation) plan);
        } else if (plan instanceof UnresolvedTable) {
            checkName(((UnresolvedTable) plan).multipartIdentifier());
        } else if (plan instanceof UnresolvedTableOrView) {
            checkName(((UnresolvedTableOrView) plan).multipartIdentifier());
        } else if (plan instanceof UnresolvedView) {
            checkName(((UnresolvedView) plan).multipartIdentifier());
        } else if (plan instanceof UnresolvedIdentifier) {
            checkName(((UnresolvedIdentifier) plan).nameParts());
        } else if (plan instanceof UnresolvedNamespace) {
            checkName(((UnresolvedNamespace) plan).multipartIdentifier());
        } else if (plan instanceof UnresolvedFunctionName) {
            checkName(((UnresolvedFunctionName) plan).multipartIdentifier());
        } else if (plan instanceof UnresolvedTableValuedFunction) {
            UnresolvedTableValuedFunction function = (UnresolvedTableValuedFunction) plan;
            checkFunction(function.name(), function.functionArgs());
        } else if (plan instanceof PlanWithUnresolvedIdentifier) {
            PlanWithUnresolvedIdentifier named = (PlanWithUnresolvedIdentifier) plan;
            Seq parts = nameOf(named.identifierExpr());
            if (parts == null && policy.hasDirectories()) {
                throw new SandboxRefusal("IDENTIFIER() of an expression");
            }
            pending.push(named.planBuilder().apply(parts == null ? placeholder() : parts, named.children()));
        }
    }

    private void checkRelation(UnresolvedRelation relation) {
        Seq parts = relation.multipartIdentifier();
        checkName(parts);
        if (parts.size() == 2) {
            String format = (String) parts.apply(0);
            String path = (String) parts.apply(1);
            boolean namesFile = path.indexOf('/') >= 0 || path.indexOf(':') >= 0 || path.startsWith(".");
            if ((namesFile || policy.hasDirectories()) && isDataSource(format) && !policy.holdsFile(path)) {
                throw new SandboxRefusal(format + ".`path`");
            }
        }
        Iterator options = relation.options().asCaseSensitiveMap().keySet().iterator();
        while (options.hasNext()) {
            String option = (String) options.next();
            if (!policy.takesReadOption(option) && !isInternalOption(option)) {
                throw new SandboxRefusal("the option " + option);
            }
        }
    }

    /** Spark itself marks relations with options of this prefix. */
    private static boolean isInternalOption(String option) {
        return option.startsWith("__");
    }

    private static boolean isDataSource(String name) {
        try {
            DataSource$.MODULE$.lookupDataSource(name, SQLConf$.MODULE$.get());
            return true;
        } catch (Throwable unknown) {
            return false;
        }
    }

    private void checkName(Seq parts) {
        if (parts.size() < 2) {
            return;
        }
        String first = (String) parts.apply(0);
        if (first.equalsIgnoreCase("spark_catalog")) {
            throw new SandboxRefusal("the catalog spark_catalog");
        }
        if (first.equalsIgnoreCase("global_temp")) {
            throw new SandboxRefusal("global_temp");
        }
    }

    private void checkCatalogs(LogicalPlan plan) {
        if (plan instanceof ResolvedIdentifier) {
            checkCatalog(((ResolvedIdentifier) plan).catalog());
        } else if (plan instanceof ResolvedTable) {
            checkCatalog(((ResolvedTable) plan).catalog());
        } else if (plan instanceof ResolvedNamespace) {
            checkCatalog(((ResolvedNamespace) plan).catalog());
        } else if (plan instanceof ResolvedProcedure) {
            checkCatalog(((ResolvedProcedure) plan).catalog());
        } else if (plan instanceof ResolvedPersistentView) {
            checkCatalog(((ResolvedPersistentView) plan).catalog());
        } else if (plan instanceof ResolvedPersistentFunc) {
            checkCatalog(((ResolvedPersistentFunc) plan).catalog());
        } else if (plan instanceof DataSourceV2Relation) {
            checkTable((DataSourceV2Relation) plan);
        } else if (plan instanceof LogicalRelation) {
            checkFiles((LogicalRelation) plan);
        }
    }

    /** Without a catalog, Iceberg's procedures read the metadata of a table that they have loaded. */
    private void checkTable(DataSourceV2Relation relation) {
        if (relation.catalog().isDefined()) {
            checkCatalog((CatalogPlugin) relation.catalog().get());
        } else if (!relation.table().getClass().getName().startsWith("org.apache.iceberg.")) {
            throw new SandboxRefusal("the table " + relation.table().getClass().getSimpleName());
        }
    }

    private void checkCatalog(CatalogPlugin catalog) {
        boolean holdsVariables = catalog.getClass().getName().startsWith(SPARK + "catalyst.analysis.Fake");
        if (!holdsVariables && !policy.holdsCatalog(catalog.name())) {
            throw new SandboxRefusal("the catalog " + catalog.name());
        }
    }

    private void checkFiles(LogicalRelation plan) {
        String kind = plan.relation().getClass().getSimpleName();
        if (!(plan.relation() instanceof HadoopFsRelation)) {
            throw new SandboxRefusal("the data source " + kind);
        }
        HadoopFsRelation files = (HadoopFsRelation) plan.relation();
        if (!FILE_FORMATS.contains(files.fileFormat().getClass().getSimpleName())) {
            throw new SandboxRefusal("the data source " + files.fileFormat().getClass().getSimpleName());
        }
        scala.collection.Iterator paths = files.location().rootPaths().iterator();
        while (paths.hasNext()) {
            if (!policy.holdsFile(((Path) paths.next()).toString())) {
                throw new SandboxRefusal("a file by its path");
            }
        }
    }

    private void checkCommand(LogicalPlan plan) {
        if (plan instanceof SetCommand) {
            checkSetting((SetCommand) plan);
        } else if (plan instanceof ResetCommand) {
            Option key = ((ResetCommand) plan).config();
            if (key.isEmpty() || !policy.maySet((String) key.get())) {
                throw new SandboxRefusal(key.isEmpty() ? "RESET of all settings" : "the setting " + key.get());
            }
        } else if (plan instanceof SetCatalogCommand) {
            String name = ((SetCatalogCommand) plan).catalogName();
            if (!policy.holdsCatalog(name)) {
                throw new SandboxRefusal("the catalog " + name);
            }
        } else if (plan instanceof SetTableLocation) {
            checkLocation(((SetTableLocation) plan).location());
        } else if (plan instanceof SetNamespaceLocation) {
            checkLocation(((SetNamespaceLocation) plan).location());
        } else if (plan instanceof SetTableProperties) {
            checkProperties(((SetTableProperties) plan).properties());
        } else if (plan instanceof SetNamespaceProperties) {
            checkProperties(((SetNamespaceProperties) plan).properties());
        } else if (plan instanceof SetViewProperties) {
            checkProperties(((SetViewProperties) plan).properties());
        } else if (plan instanceof CreateNamespace) {
            checkProperties(((CreateNamespace) plan).properties());
        } else if (plan instanceof CreateView) {
            checkProperties(((CreateView) plan).properties());
        } else if (plan instanceof CreateViewCommand) {
            if (((CreateViewCommand) plan).viewType() == GlobalTempView$.MODULE$) {
                throw new SandboxRefusal("a global temporary view");
            }
        } else if (plan instanceof Call) {
            checkCall((Call) plan);
        }
    }

    private void checkSetting(SetCommand plan) {
        Option pair = plan.kv();
        if (pair.isEmpty()) {
            throw new SandboxRefusal("SET without a name");
        }
        String key = (String) ((Tuple2) pair.get())._1();
        if (key.equals("-v") || !policy.maySet(key)) {
            throw new SandboxRefusal("the setting " + key);
        }
    }

    private void checkLocation(String location) {
        if (!policy.holdsTable(location)) {
            throw new SandboxRefusal("LOCATION");
        }
    }

    private void checkProperties(scala.collection.Map properties) {
        scala.collection.Iterator pairs = properties.iterator();
        while (pairs.hasNext()) {
            Tuple2 pair = (Tuple2) pairs.next();
            checkProperty((String) pair._1(), String.valueOf(pair._2()));
        }
    }

    private void checkProperty(String key, String value) {
        if (SandboxPolicy.namesPlace(key) && !policy.holdsTable(value)) {
            throw new SandboxRefusal("the property " + key);
        }
    }

    private void checkTableSpec(TableSpec spec) {
        checkSpec(spec.provider(), spec.serde(), spec.location(), spec.external());
        checkProperties(spec.properties());
        checkProperties(spec.options());
    }

    private void checkSpec(Option provider, Option serde, Option location, boolean external) {
        if (provider.isDefined() && !((String) provider.get()).equalsIgnoreCase("iceberg")) {
            throw new SandboxRefusal("USING " + provider.get());
        }
        if (serde.isDefined()) {
            throw new SandboxRefusal("STORED AS or ROW FORMAT");
        }
        if (location.isDefined()) {
            checkLocation((String) location.get());
        }
        if (external && location.isEmpty()) {
            throw new SandboxRefusal("EXTERNAL");
        }
    }

    /** Spark runs procedures while it analyses: all must be known from the text. */
    private void checkCall(Call call) {
        if (call.procedure() instanceof UnresolvedProcedure) {
            Seq parts = ((UnresolvedProcedure) call.procedure()).nameParts();
            checkName(parts);
            checkProcedure((String) parts.last(), call.args());
        } else if (call.procedure() instanceof PlanWithUnresolvedIdentifier) {
            Seq parts = nameOf(((PlanWithUnresolvedIdentifier) call.procedure()).identifierExpr());
            if (parts == null) {
                throw new SandboxRefusal("CALL by IDENTIFIER() of an expression");
            }
            checkName(parts);
            checkProcedure((String) parts.last(), call.args());
        } else if (call.procedure() instanceof ResolvedProcedure) {
            String name = ((ResolvedProcedure) call.procedure()).ident().name();
            if (!policy.holdsProcedure(name)) {
                throw new SandboxRefusal("CALL " + name);
            }
        }
    }

    private void checkProcedure(String name, Seq arguments) {
        if (!policy.holdsProcedure(name)) {
            throw new SandboxRefusal("CALL " + name);
        }
        if (!name.equalsIgnoreCase("remove_orphan_files")) {
            return;
        }
        int position = 0;
        scala.collection.Iterator each = arguments.iterator();
        while (each.hasNext()) {
            Object argument = each.next();
            boolean isNamed = argument instanceof NamedArgumentExpression;
            String key = isNamed ? SandboxPolicy.lower(((NamedArgumentExpression) argument).key()) : "";
            if (isNamed ? ORPHAN_PLACES.contains(key) : position >= ORPHAN_ARGUMENTS) {
                throw new SandboxRefusal("CALL remove_orphan_files with a path");
            }
            position++;
        }
    }

    private void checkExpression(Expression expression) {
        String name = expression.getClass().getName();
        String simple = name.substring(name.lastIndexOf('.') + 1);
        if (!isOfKnownPackage(name) || REFUSED_EXPRESSIONS.contains(simple)) {
            throw new SandboxRefusal("the expression " + simple);
        }
        if (expression instanceof UnresolvedFunction) {
            UnresolvedFunction function = (UnresolvedFunction) expression;
            checkFunction(function.nameParts(), function.arguments());
        } else if (expression instanceof UnresolvedGenerator) {
            UnresolvedGenerator generator = (UnresolvedGenerator) expression;
            checkFunctionName(generator.name().funcName());
        } else if (expression instanceof ExpressionWithUnresolvedIdentifier) {
            checkIdentifier((ExpressionWithUnresolvedIdentifier) expression);
        } else if (expression instanceof UnresolvedTableSpec) {
            UnresolvedTableSpec spec = (UnresolvedTableSpec) expression;
            checkSpec(spec.provider(), spec.serde(), spec.location(), spec.external());
            checkProperties(spec.properties());
        } else if (expression instanceof OptionList) {
            checkOptions((OptionList) expression);
        } else {
            checkXml(expression);
        }
    }

    private static boolean isOfKnownPackage(String className) {
        for (int i = 0; i < EXPRESSION_PACKAGES.length; i++) {
            if (className.startsWith(EXPRESSION_PACKAGES[i])) {
                return true;
            }
        }
        return false;
    }

    private void checkOptions(OptionList options) {
        scala.collection.Iterator pairs = options.options().iterator();
        while (pairs.hasNext()) {
            Tuple2 pair = (Tuple2) pairs.next();
            String key = (String) pair._1();
            Object value = pair._2();
            if (SandboxPolicy.namesPlace(key)) {
                checkProperty(key, value instanceof Literal ? String.valueOf(((Literal) value).value()) : "");
            }
        }
    }

    private void checkIdentifier(ExpressionWithUnresolvedIdentifier named) {
        Seq parts = nameOf(named.identifierExpr());
        Object built = named.exprBuilder().apply(parts == null ? placeholder() : parts, named.otherExprs());
        if (parts == null && built instanceof UnresolvedFunction) {
            throw new SandboxRefusal("a function by IDENTIFIER() of an expression");
        }
        pending.push(built);
    }

    /** The name that an expression of literals gives; null where only running it would tell. */
    private static Seq nameOf(Expression expression) {
        try {
            if (!expression.foldable() || !expression.resolved()) {
                return null;
            }
            Object value = expression.eval(null);
            return value == null
                    ? null
                    : org.apache.spark.sql.catalyst.parser.CatalystSqlParser$.MODULE$.parseMultipartIdentifier(
                            value.toString());
        } catch (Exception unknown) {
            return null;
        }
    }

    private static Seq placeholder() {
        return CollectionConverters.asScala(PLACEHOLDER).toSeq();
    }

    private void checkFunction(Seq parts, Seq arguments) {
        int size = parts.size();
        String first = SandboxPolicy.lower((String) parts.apply(0));
        if (size > 1 && first.equals("spark_catalog")) {
            throw new SandboxRefusal("the catalog spark_catalog");
        }
        String name = SandboxPolicy.lower((String) parts.last());
        checkFunctionName(name);
        if (XML_FUNCTIONS.contains(name)) {
            checkXmlArguments(name, arguments);
        }
    }

    private void checkFunctionName(String name) {
        if (policy.refusesFunction(name)) {
            throw new SandboxRefusal(SandboxPolicy.lower(name) + "()");
        }
    }

    /** Options of XML are a map of literals, so that it is known before anything is resolved. */
    private void checkXmlArguments(String name, Seq arguments) {
        int options = name.equals("from_xml") ? 2 : 1;
        for (int i = 0; i < arguments.size(); i++) {
            Object argument = arguments.apply(i);
            boolean isOptions = i >= options || argument instanceof NamedArgumentExpression;
            if (isOptions && !isMapOfLiterals(argument)) {
                throw new SandboxRefusal(name + "() with other options than a map of literals");
            }
        }
    }

    private static boolean isMapOfLiterals(Object value) {
        if (!(value instanceof UnresolvedFunction)) {
            return false;
        }
        UnresolvedFunction function = (UnresolvedFunction) value;
        if (function.nameParts().size() != 1 || !"map".equalsIgnoreCase((String) function.nameParts().apply(0))) {
            return false;
        }
        scala.collection.Iterator each = function.arguments().iterator();
        while (each.hasNext()) {
            Object argument = each.next();
            if (!(argument instanceof Literal) || namesValidation(String.valueOf(argument))) {
                return false;
            }
        }
        return true;
    }

    private void checkXml(Expression expression) {
        scala.collection.Map options = null;
        if (expression instanceof XmlToStructs) {
            options = ((XmlToStructs) expression).options();
        } else if (expression instanceof SchemaOfXml) {
            options = ((SchemaOfXml) expression).options();
        } else if (expression instanceof StructsToXml) {
            options = ((StructsToXml) expression).options();
        }
        if (options != null) {
            scala.collection.Iterator keys = options.keysIterator();
            while (keys.hasNext()) {
                if (namesValidation((String) keys.next())) {
                    throw new SandboxRefusal("the option rowValidationXSDPath");
                }
            }
        }
    }

    private static boolean namesValidation(String key) {
        return SandboxPolicy.lower(key).indexOf("xsd") >= 0;
    }
}
