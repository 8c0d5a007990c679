import { isDeepStrictEqual } from 'node:util';
import type { Partnership } from '../../../shared/domain/partnership.ts';
import type { ContextSchema } from '../../../shared/domain/trigger/context-schema.ts';
import type { Trigger } from '../../../shared/domain/trigger/trigger.ts';
import { changedTriggerWrite } from '../../../shared/store/trigger/triggers.ts';
import { type Cli, examples } from '../cli/cli.ts';
import { OperatorError } from '../cli/errors.ts';
import { readJsonFile } from '../cli/read-file.ts';
import type { Report } from '../cli/report.ts';
import { type Cell, facts, moment, paragraphs, section, table } from '../cli/text.ts';
import { findPartnership, partnershipText } from '../find/partnerships.ts';
import { newTrigger } from '../make/trigger.ts';
import type { Operator } from '../operator.ts';
import { TriggerFile } from '../trigger-file.ts';
import { triggersTable, triggerView } from '../views/trigger.ts';

const fileHelp = `
The file is JSON:
  {
    "name": "signup_completed",
    "description": "Somebody signed up for a plan.",
    "event": "CUSTOM",
    "isActive": true,
    "contextSchema": {
      "fields": {
        "plan": { "type": "string", "maximumLength": 50, "isRequired": true },
        "seats": { "type": "integer", "minimum": 1, "maximum": 1000 },
        "signed_up_at": { "type": "datetime" }
      },
      "allowsOtherFields": false
    }
  }
Types of fields are string, number, integer, boolean and datetime. The event is CUSTOM, for flows that
name the trigger, or REFERRAL: the user brought another one, which flows with that trigger reward.
`;

export function triggerCommands(cli: Cli): void {
  const group = cli.add('trigger', 'Named events that may be sent under a partnership, and what they may tell.');

  group
    .command('apply')
    .description('Make or change the trigger that a file describes, by its name.')
    .argument('<partnership>', 'UUID or exact name of the partnership')
    .argument('<file>', 'JSON file')
    .addHelpText('after', fileHelp)
    .addHelpText('after', examples('trigger apply "Corner Coffee × Skyline Miles" signup-completed.json'))
    .action((partnership, file) => cli.run((operator) => apply(operator, partnership, file)));

  group
    .command('list')
    .description('List the triggers of a partnership.')
    .argument('<partnership>', 'UUID or exact name of the partnership')
    .addHelpText('after', examples('trigger list "Corner Coffee × Skyline Miles"'))
    .action((partnership) => cli.run((operator) => list(operator, partnership)));

  group
    .command('show')
    .description('Show a trigger, and the schema of its context.')
    .argument('<partnership>', 'UUID or exact name of the partnership')
    .argument('<name>', 'name of the trigger')
    .addHelpText('after', examples('trigger show "Corner Coffee × Skyline Miles" signup_completed'))
    .action((partnership, name) => cli.run((operator) => show(operator, partnership, name)));
}

async function apply(operator: Operator, text: string, path: string): Promise<Report> {
  const file = await readJsonFile(path, TriggerFile);
  const partnership = await findPartnership(operator.platform, text);
  const existing = await operator.platform.triggers.find(partnership.uuid, file.name);
  if (existing === undefined) return create(operator, partnership, file);
  return change(operator, partnership, { before: existing, after: { ...existing, ...file } });
}

async function create(operator: Operator, partnership: Partnership, file: TriggerFile): Promise<Report> {
  const { made, writes } = await newTrigger(operator.platform, partnership, file);
  await operator.change({
    what: `made trigger ${made.name} of ${partnershipText(partnership)}`,
    writes,
    conflict: `somebody else made the trigger ${made.name} meanwhile; nothing was changed now`,
  });
  return applied(made, 'made');
}

async function change(
  operator: Operator,
  partnership: Partnership,
  { before, after }: { readonly before: Trigger; readonly after: Trigger },
): Promise<Report> {
  if (isDeepStrictEqual(before, after)) return applied(before, 'unchanged');
  await operator.change({
    what: `changed trigger ${after.name} of ${partnershipText(partnership)}`,
    writes: [changedTriggerWrite(after)],
    conflict: `somebody else changed the trigger ${after.name} meanwhile; nothing was changed now`,
  });
  return applied({ ...after, revision: after.revision + 1 }, 'changed');
}

function applied(trigger: Trigger, outcome: 'made' | 'changed' | 'unchanged'): Report {
  const text = paragraphs(`The trigger ${trigger.name} is ${outcome}.`, detailsOf(trigger));
  return { json: { outcome, trigger: triggerView(trigger) }, text };
}

async function list({ platform }: Operator, text: string): Promise<Report> {
  const partnership = await findPartnership(platform, text);
  const triggers = await platform.triggers.of(partnership.uuid);
  return {
    json: { triggers: triggers.map(triggerView) },
    text: triggers.length > 0 ? triggersTable(triggers) : `The ${partnershipText(partnership)} has no triggers.`,
  };
}

async function show({ platform }: Operator, text: string, name: string): Promise<Report> {
  const partnership = await findPartnership(platform, text);
  const trigger = await platform.triggers.find(partnership.uuid, name);
  if (!trigger) throw new OperatorError(`${partnershipText(partnership)} has no trigger ${name}`);
  return { json: { trigger: triggerView(trigger) }, text: detailsOf(trigger) };
}

function detailsOf({ name, customTriggerId, event, description, isActive, contextSchema, createdAt }: Trigger): string {
  return paragraphs(
    facts({ name, id: customTriggerId, event, description, active: isActive, made: moment(createdAt) }),
    section('Context', contextText(contextSchema)),
  );
}

function contextText({ fields, allowsOtherFields }: ContextSchema): string {
  const rows = Object.entries(fields).map(([name, field]): Cell[] => [
    name,
    field.type,
    field.isRequired,
    boundsOf(field),
  ]);
  const others = allowsOtherFields ? 'Other fields may come along.' : 'No other fields may come along.';
  return rows.length > 0 ? paragraphs(table(['field', 'type', 'required', 'bounds'], rows), others) : others;
}

function boundsOf(field: ContextSchema['fields'][string]): string | null {
  if (field.type === 'string') return `at most ${field.maximumLength} characters`;
  if (field.type === 'boolean' || field.type === 'datetime') return null;
  const { minimum, maximum } = field;
  const parts = [minimum === null ? '' : `from ${minimum}`, maximum === null ? '' : `to ${maximum}`];
  return parts.filter(Boolean).join(' ') || null;
}
