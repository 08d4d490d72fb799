package headrace.lookup;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.stream.LongStream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.io.FileIO;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.internal.column.columnindex.ColumnIndex;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.internal.filter2.columnindex.ColumnIndexStore;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.parquet.schema.MessageType;

/** An open Parquet file of which single pages can be read; its indexes are cached. */
final class IndexedFile extends ParquetFileReader {
  private final FileIndex index;
  private final ReadFigures figures;

  private IndexedFile(
      ParquetInput input, FileIndex index, SeekableInputStream stream, ReadFigures figures)
      throws IOException {
    super(input, index.footer, options(), stream);
    this.index = index;
    this.figures = figures;
  }

  static IndexedFile open(FileIO io, DataFile file, ReadFigures figures) throws IOException {
    long length = file.fileSizeInBytes();
    var input = new ParquetInput(io.newInputFile(file.location(), length), length, figures.bytes);
    SeekableInputStream stream = input.newStream();
    try {
      FileIndex index = FileIndexCache.SHARED.find(file.location(), length);
      if (index == null) {
        index = new FileIndex(readFooter(input, options(), stream));
        FileIndexCache.SHARED.add(file.location(), length, index);
      }
      figures.files.increment();
      return new IndexedFile(input, index, stream, figures);
    } catch (IOException | RuntimeException failed) {
      stream.close();
      throw failed;
    }
  }

  private static ParquetReadOptions options() {
    var settings = new PlainParquetConfiguration();
    var codecs = ParquetReadOptions.builder(settings).build().getCodecFactory();
    return ParquetReadOptions.builder(settings).withCodecFactory(new PageCodecs(codecs)).build();
  }

  MessageType schema() {
    return index.footer.getFileMetaData().getSchema();
  }

  String createdBy() {
    return index.footer.getFileMetaData().getCreatedBy();
  }

  /** Of a column without nested ones. */
  ColumnChunkMetaData chunk(int rowGroup, ColumnPath path) {
    return getRowGroups().get(rowGroup).getColumns().stream()
        .filter(chunk -> chunk.getPath().equals(path))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no column " + path + " in " + getFile()));
  }

  /**
   * Pages with those rows and perhaps others: all of them if pages cannot be found singly. Then
   * {@code getRowIndexes} of the answer is empty.
   */
  PageReadStore read(int rowGroup, MessageType columns, RowRanges wanted) throws IOException {
    setRequestedSchema(columns);
    long rowCount = getRowGroups().get(rowGroup).getRowCount();
    RowRanges rows = RowRuns.notEndingWithOne(wanted, rowCount);
    if (!hasOffsetIndexes(rowGroup, columns)) {
      figures.pages.add(columns.getColumns().size());
      return readRowGroup(rowGroup);
    }
    countPages(rowGroup, columns, rows);
    return rows.rowCount() == rowCount
        ? readRowGroup(rowGroup)
        : readFilteredRowGroup(rowGroup, rows);
  }

  /** Of the rows that pages give, in their row group. */
  static PrimitiveIterator.OfLong rowNumbers(PageReadStore pages) {
    return pages
        .getRowIndexes()
        .orElseGet(() -> LongStream.range(0, pages.getRowCount()).iterator());
  }

  /** Of a column that was requested for those pages. */
  ColumnValues values(PageReadStore pages, int rowGroup, MessageType requested, String name)
      throws IOException {
    ColumnDescriptor column = requested.getColumnDescription(new String[] {name});
    return ColumnValues.of(pages, column, chunk(rowGroup, ColumnPath.get(name)));
  }

  private boolean hasOffsetIndexes(int rowGroup, MessageType columns) throws IOException {
    for (ColumnChunkMetaData chunk : getRowGroups().get(rowGroup).getColumns()) {
      if (columns.containsPath(chunk.getPath().toArray()) && readOffsetIndex(chunk) == null) {
        return false;
      }
    }
    return true;
  }

  private void countPages(int rowGroup, MessageType columns, RowRanges rows) throws IOException {
    BlockMetaData block = getRowGroups().get(rowGroup);
    for (ColumnDescriptor column : columns.getColumns()) {
      if (schema().containsPath(column.getPath())) {
        OffsetIndex pages = readOffsetIndex(chunk(rowGroup, ColumnPath.get(column.getPath())));
        for (int i = 0; i < pages.getPageCount(); i++) {
          long last = pages.getLastRowIndex(i, block.getRowCount());
          figures.pages.add(rows.isOverlapping(pages.getFirstRowIndex(i), last) ? 1 : 0);
        }
      }
    }
  }

  /** Null if there are none. */
  PageBounds pageBounds(ColumnChunkMetaData chunk, KeyType type) throws IOException {
    return cached(index.pageBounds, new FileIndex.BoundsKey(chunk, type), this::readPageBounds);
  }

  private PageBounds readPageBounds(FileIndex.BoundsKey key) throws IOException {
    ColumnIndex read = readColumnIndex(key.chunk());
    return read == null
        ? null
        : PageBounds.of(read, key.type(), key.chunk().getPrimitiveType().getPrimitiveTypeName());
  }

  @Override
  public OffsetIndex readOffsetIndex(ColumnChunkMetaData chunk) throws IOException {
    return cached(index.offsetIndexes, chunk, super::readOffsetIndex);
  }

  private interface IndexRead<K, T> {
    T of(K key) throws IOException;
  }

  /** A chunk may have no index, which is null. */
  private static <K, T> T cached(Map<K, Optional<T>> cache, K key, IndexRead<K, T> read)
      throws IOException {
    Optional<T> known = cache.get(key);
    if (known == null) {
      known = Optional.ofNullable(read.of(key));
      cache.put(key, known);
    }
    return known.orElse(null);
  }

  /** For the columns that are read now: that of the library is for those that were read first. */
  @Override
  public ColumnIndexStore getColumnIndexStore(int rowGroup) {
    return new ColumnIndexStore() {
      @Override
      public ColumnIndex getColumnIndex(ColumnPath path) {
        return find(path, IndexedFile.this::readColumnIndex);
      }

      @Override
      public OffsetIndex getOffsetIndex(ColumnPath path) {
        return find(path, IndexedFile.this::readOffsetIndex);
      }

      private <T> T find(ColumnPath path, IndexRead<ColumnChunkMetaData, T> read) {
        try {
          return read.of(chunk(rowGroup, path));
        } catch (IOException error) {
          throw new UncheckedIOException(error);
        }
      }
    };
  }
}
