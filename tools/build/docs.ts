import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { apiFiles } from './docs/api.ts';
import {
  assumptionTable,
  billTable,
  journeyCountTable,
  priceTable,
  purchaseFunctionTable,
  standingTable,
} from './docs/cost.ts';
import { fieldNamesModule } from './docs/field-names.ts';
import { personalDataTable } from './docs/personal-data.ts';
import { programOpenApiYaml } from './docs/program-openapi.ts';
import { quotaTable, scaleLimitTable, scaleLoadTable } from './docs/scale.ts';
import type { Section } from './docs/tables.ts';
import {
  credentialTable,
  endpointTable,
  eventTable,
  impactTable,
  managementTable,
  partitionTable,
  queueDiagram,
} from './docs/tables.ts';
import { answerRules, outageSteps, receiverPeriods, webhookHeaderTable } from './docs/webhooks.ts';

/**
 * `npm run docs`: writes the contract of loyalty programs, the files of docs/api, the list of field names, and the parts of pages that repeat
 * declarations. Markers in a page enclose such a part.
 */

const sections: Readonly<Record<string, Section>> = {
  queues: queueDiagram,
  impacts: impactTable,
  events: eventTable,
  endpoints: endpointTable,
  managementEndpoints: managementTable,
  credentials: credentialTable,
  partitions: partitionTable,
  personalData: personalDataTable,
  journeyCounts: journeyCountTable,
  purchaseFunctions: purchaseFunctionTable,
  bills: billTable,
  standing: standingTable,
  prices: priceTable,
  assumptions: assumptionTable,
  scaleLoads: scaleLoadTable,
  scaleLimits: scaleLimitTable,
  quotas: quotaTable,
  answerRules,
  outageSteps,
  receiverPeriods,
  webhookHeaders: webhookHeaderTable,
};

const marked = /(<!-- generated:(\w+) -->\n)[\s\S]*?(<!-- \/generated -->)/g;

/** A page, with its present text and the text that the declarations require. */
interface GeneratedPage {
  readonly path: string;
  readonly present: string;
  readonly wanted: string;
}

/** The files that are generated as a whole. For each path, a function that returns the text. */
const files: Readonly<Record<string, () => string>> = {
  'docs/programs/openapi.yaml': programOpenApiYaml,
  'shared/http/field-names.ts': fieldNamesModule,
  ...apiFiles,
};

/**
 * Every file that is generated, as a whole or in parts.
 * @throws Error for a marker that names no section.
 */
export function generatedPages(): GeneratedPage[] {
  const whole = Object.entries(files).map(([path, write]) => ({
    path,
    present: existsSync(path) ? readFileSync(path, 'utf8') : '',
    wanted: write(),
  }));
  return [...markedPages(), ...whole];
}

function markedPages(): GeneratedPage[] {
  return ['README.md', ...globSync('docs/**/*.md').sort()]
    .map((path) => ({ path, present: readFileSync(path, 'utf8') }))
    .filter(({ present }) => present.includes('<!-- generated:'))
    .map((page) => ({ ...page, wanted: withSections(page.path, page.present) }));
}

function withSections(path: string, text: string): string {
  const linkTo = (file: string) => relative(dirname(path), file);
  return text.replaceAll(marked, (_, start: string, name: string, end: string) => {
    const section = sections[name];
    if (!section)
      throw new Error(`${path}: no section is called ${name}; choose from ${Object.keys(sections).join(', ')}`);
    return `${start}\n${section(linkTo).join('\n')}\n\n${end}`;
  });
}

if (import.meta.main) {
  const stale = generatedPages().filter(({ present, wanted }) => present !== wanted);
  for (const { path, wanted } of stale) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, wanted);
  }
  console.log(stale.length === 0 ? 'every page is up to date' : `wrote ${stale.map(({ path }) => path).join(', ')}`);
}
