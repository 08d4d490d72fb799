package headrace;

import java.util.Iterator;
import java.util.List;

/** How much a plan would read. */
public final class ChangeSizes {
    private long rowsAdded;
    private long rowsRemoved;
    private long bytes;
    private long files;
    private boolean insertOnly = true;

    public ChangeSizes(ChangePlan plan) {
        for (Iterator it = plan.plus().iterator(); it.hasNext(); ) {
            FileUnderDeletes file = (FileUnderDeletes) it.next();
            rowsAdded += file.rows();
            count(file.file().fileSizeInBytes());
        }
        for (Iterator it = plan.minus().iterator(); it.hasNext(); ) {
            FileUnderDeletes file = (FileUnderDeletes) it.next();
            rowsRemoved += file.rows();
            insertOnly = false;
            count(file.file().fileSizeInBytes());
        }
        for (Iterator it = plan.touched().iterator(); it.hasNext(); ) {
            countTouched((List) it.next());
        }
    }

    private void countTouched(List leg) {
        for (Iterator it = leg.iterator(); it.hasNext(); ) {
            TouchedFile file = (TouchedFile) it.next();
            rowsAdded += file.rowsBack();
            rowsRemoved += file.rowsGone();
            insertOnly = false;
            count(file.file().fileSizeInBytes());
        }
    }

    private void count(long size) {
        bytes += size;
        files++;
    }

    /** As JSON. */
    public String toString() {
        return "{\"rows_added\":" + rowsAdded + ",\"rows_removed\":" + rowsRemoved + ",\"bytes\":" + bytes
                + ",\"files\":" + files + ",\"insert_only\":" + insertOnly + "}";
    }
}
