package headrace.catalog;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.UpdateRequirement;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.rest.CatalogHandlers;
import org.apache.iceberg.rest.RESTSerializers;
import org.apache.iceberg.rest.requests.CreateTableRequest;
import org.apache.iceberg.rest.requests.RegisterTableRequestParser;
import org.apache.iceberg.rest.requests.UpdateTableRequest;
import org.apache.iceberg.rest.requests.UpdateTableRequestParser;
import org.apache.iceberg.rest.responses.LoadTableResponse;
import org.apache.iceberg.rest.responses.LoadTableResponseParser;
import org.apache.iceberg.shaded.com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import org.apache.iceberg.shaded.com.fasterxml.jackson.annotation.PropertyAccessor;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.DeserializationFeature;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.PropertyNamingStrategies;

/**
 * Changes of base tables that other engines ask for, in the JSON of Iceberg's REST protocol. Each
 * is one commit of the catalog, onto the metadata that its requirements were checked against.
 *
 * <p>The places that a request names, and those it came from, were checked to be in the warehouse.
 */
public final class ExternalChange {
  private static final ObjectMapper MAPPER = mapper();

  private final Catalog catalog;
  private final String dynamicTableProperty;

  /** The property is one that every dynamic table has. */
  public ExternalChange(Catalog catalog, String dynamicTableProperty) {
    this.catalog = catalog;
    this.dynamicTableProperty = dynamicTableProperty;
  }

  public String create(String schema, String name, String request, String places)
      throws IOException {
    expectFree(schema, name, places);
    CreateTableRequest asked = MAPPER.readValue(request, CreateTableRequest.class);
    Namespace namespace = Namespace.of(schema);
    return json(
        asked.stageCreate()
            ? CatalogHandlers.stageTableCreate(catalog, namespace, asked)
            : CatalogHandlers.createTable(catalog, namespace, asked));
  }

  public String register(String schema, String name, String request, String places)
      throws IOException {
    expectFree(schema, name, places);
    return json(
        CatalogHandlers.registerTable(
            catalog, Namespace.of(schema), RegisterTableRequestParser.fromJson(request)));
  }

  public String commit(String schema, String name, String request, String places)
      throws IOException {
    expectFree(schema, name, places);
    TableIdentifier table = TableIdentifier.of(Namespace.of(schema), name);
    UpdateTableRequest asked = UpdateTableRequestParser.fromJson(request);
    var requirements = new ArrayList<>(asked.requirements());
    if (requirements.stream()
        .noneMatch(UpdateRequirement.AssertTableDoesNotExist.class::isInstance)) {
      requirements.add(new BaseTableOnly(dynamicTableProperty));
    }
    return json(
        CatalogHandlers.updateTable(
            catalog, table, UpdateTableRequest.create(table, requirements, asked.updates())));
  }

  private void expectFree(String schema, String name, String places) throws IOException {
    List<String> wanted = Arrays.asList(MAPPER.readValue(places, String[].class));
    new TableDirectories(catalog)
        .expectFree(TableIdentifier.of(Namespace.of(schema), name), wanted);
  }

  private static String json(LoadTableResponse response) {
    return LoadTableResponseParser.toJson(response);
  }

  /** As Iceberg's own, which is not public. */
  private static ObjectMapper mapper() {
    var made = new ObjectMapper();
    made.setVisibility(PropertyAccessor.FIELD, Visibility.ANY);
    made.configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);
    made.setPropertyNamingStrategy(new PropertyNamingStrategies.KebabCaseStrategy());
    RESTSerializers.registerAll(made);
    return made;
  }

  /** Checked with the others against the metadata that the commit is put onto. */
  private record BaseTableOnly(String dynamicTableProperty) implements UpdateRequirement {
    @Override
    public void validate(TableMetadata base) {
      if (base.properties().containsKey(dynamicTableProperty)) {
        throw new ForbiddenException("The table is a dynamic table now");
      }
    }
  }
}
