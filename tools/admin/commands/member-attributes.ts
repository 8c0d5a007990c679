import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { type Attributes, isStorableName, Location } from '../../../shared/domain/member/member.ts';
import { importReports, type ReportRow } from '../../../shared/operations/member/import-reports.ts';
import { addCommand, type Cli } from '../cli/cli.ts';
import { readCsvFile, withUnreadable } from '../cli/csv.ts';
import { importReport } from '../views/import.ts';

/** The prefix of the columns of attributes. */
const attributePrefix = 'attribute:';
/** The character between several values of one attribute. */
const separator = '|';
const columns = ['id', 'country', 'region', 'city', 'tier'];

const fileHelp = `
The first line of the file names the columns:
  id,country,region,city,attribute:plan,attribute:interest
  cc-1001,US,TX,Austin,yearly,coffee|tea
The id is the one that the organisation uses. A merchant may give country, region, city and columns for the
attributes of its registry; ${separator} separates several values. A partner may give the column tier, with the name or
number of a status tier. Empty cells change nothing.
`;

/** A row of the file. */
const Row = z.pipe(
  z.record(z.string(), z.string()).check(
    z.superRefine((row, context) => {
      const faults = [
        ...Object.keys(row).flatMap((name) =>
          isColumn(name) ? [] : [[name, 'is not a column of this file'] as const],
        ),
        ...(row.id === undefined ? [['id', 'is missing'] as const] : []),
        ...(row.country === undefined && (row.region ?? row.city) !== undefined
          ? [['country', 'is missing: a region or city needs its country'] as const]
          : []),
        ...(row.country !== undefined && !Location.shape.country.safeParse(row.country).success
          ? [['country', 'has to be two capital letters, such as US (ISO 3166-1)'] as const]
          : []),
        ...(row.region !== undefined && !Location.shape.region.safeParse(row.region).success
          ? [['region', 'has to be the second part of ISO 3166-2, such as TX'] as const]
          : []),
        ...(row.city !== undefined && !Location.shape.city.safeParse(row.city).success
          ? [['city', 'is too long'] as const]
          : []),
      ];
      for (const [name, message] of faults) context.addIssue({ code: 'custom', path: [name], message });
    }),
  ),
  z.transform(toReportRow),
);

const isColumn = (name: string) =>
  columns.includes(name) || (name.startsWith(attributePrefix) && isStorableName(name.slice(attributePrefix.length)));

function toReportRow({ id = '', country, region, city, tier, ...others }: Readonly<Record<string, string>>): ReportRow {
  const attributes: Attributes = Object.fromEntries(
    Object.entries(others).map(([name, cell]) => [
      name.slice(attributePrefix.length),
      cell.split(separator).map((value) => value.trim()),
    ]),
  );
  return {
    externalId: id,
    ...(country !== undefined && { location: { country, region: region ?? null, city: city ?? null } }),
    ...(Object.keys(attributes).length > 0 && { attributes }),
    ...(tier !== undefined && { tier }),
  };
}

/** The commands for attributes, in the group of members. */
export function memberAttributesCommands(cli: Cli, members: CommandUnknownOpts): void {
  const group = addCommand(members, 'attributes')
    .description('What merchants and partners report about their members.')
    .helpCommand(false);

  addCommand(group, 'import')
    .description('Store attributes, locations and status tiers of many members from a CSV file.')
    .argument('<file>', 'CSV file')
    .requiredOption('--of <organisation>', 'id or exact name of the merchant or partner that uses the ids, and reports')
    .option('--dry-run', 'check every row, and write nothing')
    .addHelpText('after', fileHelp)
    .action(
      cli.door(async ({ deps }, path, { of, dryRun }) => {
        const read = await readCsvFile(path, Row);
        const order = { organisation: of, rows: read.rows, isDryRun: dryRun === true };
        return importReport(withUnreadable(await importReports(order, deps), read));
      }, 'member attributes import customers.csv --of "Corner Coffee" --dry-run'),
    );
}
