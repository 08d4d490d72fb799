package headrace;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.deletes.Deletes;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.util.ContentFileUtil;
import org.apache.iceberg.util.DeleteFileSet;

/** A data file whose position deletes changed. */
public final class TouchedFile {
    private final DataFile file;
    private final List equality;
    private final List oldPositions;
    private final List newPositions;
    private final boolean onward;
    private PositionDeleteIndex allButGone;
    private PositionDeleteIndex allButBack;

    public TouchedFile(
            DataFile file, List equality, List oldPositions, List newPositions, boolean onward) {
        this.file = file;
        this.equality = equality;
        this.oldPositions = oldPositions;
        this.newPositions = newPositions;
        this.onward = onward;
    }

    public DataFile file() {
        return file;
    }

    /** Equality deletes, which hold before and after. */
    public List equality() {
        return equality;
    }

    /** At most so many rows went; onward, position deletes only ever grow. */
    public long rowsGone() {
        boolean grown = onward && isVector(oldPositions) && isVector(newPositions);
        return bounded(rows(only(newPositions, oldPositions)) - (grown ? rows(oldPositions) : 0));
    }

    /** At most so many rows came back. */
    public long rowsBack() {
        return onward ? 0 : bounded(rows(only(oldPositions, newPositions)));
    }

    private long bounded(long rows) {
        return Math.min(file.recordCount(), Math.max(rows, 0));
    }

    private static boolean isVector(List deletes) {
        return deletes.size() == 1 && ContentFileUtil.isDV((DeleteFile) deletes.get(0));
    }

    private static List only(List some, List others) {
        DeleteFileSet found = DeleteFileSet.of(some);
        found.removeAll(others);
        return new ArrayList(found);
    }

    private static long rows(List deletes) {
        long rows = 0;
        for (Iterator it = deletes.iterator(); it.hasNext(); ) {
            rows += ((DeleteFile) it.next()).recordCount();
        }
        return rows;
    }

    /** Reads the deletes; the inverse vectors are there afterwards. */
    public void load(DeleteLoader loader) {
        PositionDeleteIndex before = positions(loader, oldPositions);
        PositionDeleteIndex after = positions(loader, newPositions);
        allButGone = allButNew(before, after);
        allButBack = allButNew(after, before);
    }

    /** Deletes all rows but those that went; null if none went. */
    public PositionDeleteIndex allButGone() {
        return allButGone;
    }

    /** Deletes all rows but those that came back; null if none did. */
    public PositionDeleteIndex allButBack() {
        return allButBack;
    }

    private PositionDeleteIndex positions(DeleteLoader loader, List deletes) {
        return deletes.isEmpty()
                ? PositionDeleteIndex.empty()
                : loader.loadPositionDeletes(deletes, file.location());
    }

    private PositionDeleteIndex allButNew(final PositionDeleteIndex old, PositionDeleteIndex fresh) {
        final PositionDeleteIndex inverse = Deletes.toPositionIndex(CloseableIterable.empty());
        final long[] next = new long[] {0, 0};
        fresh.forEach(
                new LongConsumer() {
                    public void accept(long position) {
                        if (!old.isDeleted(position)) {
                            if (position > next[0]) {
                                inverse.delete(next[0], position);
                            }
                            next[0] = position + 1;
                            next[1]++;
                        }
                    }
                });
        if (next[0] < file.recordCount()) {
            inverse.delete(next[0], file.recordCount());
        }
        return next[1] == 0 ? null : inverse;
    }
}
