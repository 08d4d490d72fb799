package headrace;

import org.apache.iceberg.spark.SparkCatalog;
import org.apache.spark.sql.catalyst.analysis.NoSuchViewException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.View;

/** Iceberg's catalog, with table streams next to its views. */
public final class LakeCatalog extends SparkCatalog {
    public LakeCatalog() {}

    public View loadView(Identifier identifier) throws NoSuchViewException {
        View stream = StreamViews.find(identifier);
        return stream == null ? super.loadView(identifier) : stream;
    }
}
