import type { ImportReport } from '../../../shared/operations/import-rows.ts';
import type { Report } from '../cli/cli.ts';
import { count, paragraphs, section, sentenceOf } from '../cli/text.ts';

/**
 * The report of an import. Its `isBad` is true when rows have faults.
 *
 * @param placeOf names the place of a fault; by default its line
 * @param countsOf the counts of the rows without a fault, in words
 */
export function importReport(
  report: ImportReport,
  placeOf?: (fault: ImportReport['faults'][number]) => string,
  countsOf: (report: ImportReport) => string = importCounts,
): Report {
  const { isDryRun, created, changed, unchanged, faults } = report;
  const shown = faults.map((fault) => ({
    line: fault.line,
    ...(placeOf && { place: placeOf(fault) }),
    message: sentenceOf(fault.error),
  }));
  const counts = `${countsOf(report)}, ${count(faults.length)} with a fault`;
  const summary = isDryRun ? `Dry run, nothing was written: ${counts}.` : `${counts}.`;
  const lines = shown.map(({ line, place = `line ${line}`, message }) => `${place}: ${message}`).join('\n');
  return {
    json: { dry_run: isDryRun, created, changed, unchanged, faults: shown },
    text: faults.length === 0 ? summary : paragraphs(summary, section('Faults', lines)),
    isBad: faults.length > 0,
  };
}

const importCounts = ({ created, changed, unchanged }: ImportReport) =>
  `${count(created)} created, ${count(changed)} changed, ${count(unchanged)} unchanged`;
