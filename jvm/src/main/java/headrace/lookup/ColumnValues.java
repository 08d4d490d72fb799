package headrace.lookup;

import java.io.IOException;
import org.apache.parquet.bytes.ByteBufferInputStream;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Dictionary;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.ValuesType;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.column.values.ValuesReader;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridDecoder;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.io.ParquetDecodingException;

/**
 * Values of a column that is neither nested nor repeated, at chosen rows of a row group.
 *
 * <p>The library's own readers decode the levels of every row and pass over values one by one, at
 * twenty times the cost: of a page of 2,000 rows, one is wanted.
 */
final class ColumnValues {
  private final PageReader pages;
  private final ColumnDescriptor column;
  private final Dictionary dictionary;
  private final boolean hasNulls;
  private Levels levels;
  private ValuesReader values;

  /** The rows of the current page, and the next one to look at. */
  private long first;

  private long end;
  private long next;

  /** Values from the one that the reader is at to the one of the next row. */
  private int behind;

  /** Whether each row of a page has a value: 1, or 0 for NULL. */
  private interface Levels {
    int next() throws IOException;
  }

  private ColumnValues(PageReader pages, ColumnDescriptor column, boolean hasNulls)
      throws IOException {
    this.pages = pages;
    this.column = column;
    this.hasNulls = hasNulls;
    DictionaryPage found = pages.readDictionaryPage();
    this.dictionary = found == null ? null : found.getEncoding().initDictionary(column, found);
  }

  /** Whether a column can be read in this way. */
  static boolean canRead(ColumnDescriptor column) {
    return column.getPath().length == 1
        && column.getMaxRepetitionLevel() == 0
        && column.getMaxDefinitionLevel() <= 1;
  }

  static ColumnValues of(PageReadStore pages, ColumnDescriptor column, ColumnChunkMetaData chunk)
      throws IOException {
    var statistics = chunk.getStatistics();
    boolean hasNone =
        statistics != null && statistics.isNumNullsSet() && statistics.getNumNulls() == 0;
    boolean hasNulls = column.getMaxDefinitionLevel() > 0 && !hasNone;
    return new ColumnValues(pages.getPageReader(column), column, hasNulls);
  }

  /**
   * Goes to a row, after the last one: whether it has a value. If so, it is to be read from {@code
   * values}, once.
   */
  boolean goTo(long row) throws IOException {
    while (row >= end) {
      open(pages.readPage());
    }
    if (row < next) {
      throw new IllegalArgumentException("row " + row + " comes before row " + next);
    }
    if (!hasNulls) {
      behind += (int) (row - next);
      next = row + 1;
      return isAtValue();
    }
    for (; next < row; next++) {
      behind += levels.next();
    }
    next++;
    return levels.next() == 1 && isAtValue();
  }

  private boolean isAtValue() {
    if (behind > 0) {
      values.skip(behind);
    }
    behind = 0;
    return true;
  }

  ValuesReader values() {
    return values;
  }

  private void open(DataPage page) throws IOException {
    if (page == null) {
      throw new ParquetDecodingException("no page of " + column + " has row " + end);
    }
    first = page.getFirstRowIndex().orElse(end);
    end = first + page.getValueCount();
    next = first;
    behind = 0;
    if (page instanceof DataPageV1 plain) {
      open(plain);
    } else {
      open((DataPageV2) page);
    }
  }

  private void open(DataPageV1 page) throws IOException {
    ByteBufferInputStream bytes = page.getBytes().toInputStream();
    page.getRlEncoding()
        .getValuesReader(column, ValuesType.REPETITION_LEVEL)
        .initFromPage(page.getValueCount(), bytes);
    ValuesReader definitions =
        page.getDlEncoding().getValuesReader(column, ValuesType.DEFINITION_LEVEL);
    definitions.initFromPage(page.getValueCount(), bytes);
    levels = definitions::readInteger;
    openValues(page.getValueEncoding(), page.getValueCount(), bytes);
  }

  private void open(DataPageV2 page) throws IOException {
    if (column.getMaxDefinitionLevel() > 0) {
      var decoder =
          new RunLengthBitPackingHybridDecoder(1, page.getDefinitionLevels().toInputStream());
      levels = decoder::readInt;
    }
    openValues(page.getDataEncoding(), page.getValueCount(), page.getData().toInputStream());
  }

  private void openValues(Encoding encoding, int count, ByteBufferInputStream bytes)
      throws IOException {
    values =
        encoding.usesDictionary()
            ? encoding.getDictionaryBasedValuesReader(column, ValuesType.VALUES, dictionary)
            : encoding.getValuesReader(column, ValuesType.VALUES);
    values.initFromPage(count, bytes);
  }
}
