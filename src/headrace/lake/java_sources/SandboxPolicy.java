package headrace;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry$;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistryBase;
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry$;

/** What the statements of a session may use. Each list has one entry per line. */
public final class SandboxPolicy {
    private final Set catalogs;
    private final String[] tableRoots;
    private final String[] fileRoots;
    private final Set plans;
    private final Set procedures;
    private final Set settings;
    private final String[] settingPrefixes;
    private final String[] refusedSettingPrefixes;
    private final Set readOptions;
    private final Set refusedFunctions = new HashSet();

    public SandboxPolicy(
            String catalogs,
            String warehouse,
            String directories,
            String functions,
            String plans,
            String procedures,
            String settings,
            String settingPrefixes,
            String refusedSettingPrefixes,
            String readOptions) {
        this.catalogs = setOf(catalogs);
        this.fileRoots = plainRoots(directories);
        this.tableRoots = plainRoots(warehouse + "\n" + directories);
        this.plans = setOf(plans);
        this.procedures = setOf(procedures);
        this.settings = setOf(settings);
        this.settingPrefixes = lines(settingPrefixes);
        this.refusedSettingPrefixes = lines(refusedSettingPrefixes);
        this.readOptions = setOf(readOptions);
        Set safe = setOf(functions);
        refuseOthers(FunctionRegistry$.MODULE$.builtin(), safe);
        refuseOthers(TableFunctionRegistry$.MODULE$.builtin(), safe);
    }

    /** Functions that Spark has and that are not listed, those of a later Spark among them. */
    private void refuseOthers(FunctionRegistryBase registry, Set safe) {
        scala.collection.Iterator names = registry.listFunction().iterator();
        while (names.hasNext()) {
            String name = lower(((FunctionIdentifier) names.next()).funcName());
            if (!safe.contains(name)) {
                refusedFunctions.add(name);
            }
        }
    }

    public boolean hasDirectories() {
        return fileRoots.length > 0;
    }

    public boolean holdsCatalog(String name) {
        return catalogs.contains(name);
    }

    public boolean holdsTable(String path) {
        return isInside(path, tableRoots);
    }

    public boolean holdsFile(String path) {
        return isInside(path, fileRoots);
    }

    public boolean knowsPlan(String className) {
        return plans.contains(className);
    }

    public boolean refusesFunction(String name) {
        return refusedFunctions.contains(lower(name));
    }

    public boolean holdsProcedure(String name) {
        return procedures.contains(lower(name));
    }

    public boolean takesReadOption(String key) {
        return readOptions.contains(lower(key));
    }

    public boolean maySet(String key) {
        String lowered = lower(key);
        if (startsWithAny(lowered, refusedSettingPrefixes)) {
            return settings.contains(lowered);
        }
        boolean namesClass = lowered.endsWith("class") || lowered.endsWith("classes");
        return lowered.indexOf('.') < 0 || (startsWithAny(lowered, settingPrefixes) && !namesClass);
    }

    public static boolean namesPlace(String key) {
        String lowered = lower(key);
        boolean isPlace =
                lowered.equals("path")
                        || lowered.equals("location")
                        || lowered.endsWith("impl")
                        || lowered.endsWith(".path")
                        || lowered.endsWith("-path")
                        || lowered.endsWith("-location");
        return isPlace && !lowered.startsWith("dt.");
    }

    public static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    private static boolean isInside(String path, String[] roots) {
        String plain = plain(path);
        if (!plain.startsWith("/") && plain.indexOf("://") < 0) {
            return false;
        }
        String[] parts = plain.split("/");
        for (int i = 0; i < parts.length; i++) {
            if (parts[i].equals(".") || parts[i].equals("..")) {
                return false;
            }
        }
        for (int i = 0; i < plain.length(); i++) {
            if ("{}%\\,".indexOf(plain.charAt(i)) >= 0 || plain.charAt(i) < ' ') {
                return false;
            }
        }
        for (int i = 0; i < roots.length; i++) {
            if (withoutSlash(plain).equals(roots[i]) || plain.startsWith(roots[i] + "/")) {
                return true;
            }
        }
        return false;
    }

    private static String[] plainRoots(String list) {
        String[] roots = lines(list);
        for (int i = 0; i < roots.length; i++) {
            roots[i] = withoutSlash(plain(roots[i]));
        }
        return roots;
    }

    private static String plain(String path) {
        String lowered = lower(path);
        if (lowered.startsWith("file://")) {
            return path.substring(7);
        }
        return lowered.startsWith("file:") ? path.substring(5) : path;
    }

    private static String withoutSlash(String path) {
        int end = path.length();
        while (end > 0 && path.charAt(end - 1) == '/') {
            end--;
        }
        return path.substring(0, end);
    }

    private static boolean startsWithAny(String text, String[] prefixes) {
        for (int i = 0; i < prefixes.length; i++) {
            if (text.startsWith(prefixes[i])) {
                return true;
            }
        }
        return false;
    }

    private static Set setOf(String list) {
        return new HashSet(Arrays.asList(lines(list)));
    }

    private static String[] lines(String list) {
        String stripped = list.trim();
        return stripped.isEmpty() ? new String[0] : stripped.split("\n");
    }
}
