package headrace;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

    public Map told() {
        Map told = new LinkedHashMap();
        told.put("rows_added", Long.valueOf(rowsAdded));
        told.put("rows_removed", Long.valueOf(rowsRemoved));
        told.put("bytes", Long.valueOf(bytes));
        told.put("files", Long.valueOf(files));
        told.put("insert_only", Boolean.valueOf(insertOnly));
        return told;
    }
}
