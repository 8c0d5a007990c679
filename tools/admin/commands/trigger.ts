import { TriggerFile } from '../../../shared/domain/trigger/trigger-file.ts';
import { applyTrigger, findTrigger, loadTriggers } from '../../../shared/operations/partnership/configure-trigger.ts';
import { findPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import { readJsonFile } from '../cli/files.ts';
import * as input from '../cli/input.ts';
import { paragraphs } from '../cli/text.ts';
import { triggerText, triggerView } from '../views/partnership.ts';
import { addTriggerEventList } from './records.ts';

const fileHelp = `
The file is JSON:
  {
    "name": "signup_completed",
    "description": "A member signed up for a plan.",
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
Types of fields are string, number, integer, boolean and datetime. Flows can reward a required number of dollars by the
dollar (\`amountField\` of a campaign file). The event is CUSTOM, for flows that
name the trigger, or REFERRAL: the member referred another one, and flows with the trigger REFERRAL reward it.
A REFERRAL names the friend in a field of its context, by the sender's own id or the UUID of the user:
  "event": "REFERRAL", "friendField": "friend_id"
It is rewarded once for each friend, however often it is sent, and not again when the friend was referred
by a connect token. The friend needs an account in the program. Without friendField, events of one member
with the same context count as one referral.
`;

export function triggerCommands(cli: Cli): void {
  const group = cli.add(
    'trigger',
    'Named events that may be sent under a partnership, and the fields of their context.',
  );

  addCommand(group, 'apply')
    .description('Create or change the trigger with the name in a file.')
    .argument(...input.partnershipArgument)
    .argument('<file>', 'JSON file')
    .addHelpText('after', fileHelp)
    .action(
      cli.door(async ({ deps }, text, path) => {
        const file = await readJsonFile(path, TriggerFile);
        const { outcome, trigger } = await applyTrigger(text, file, deps);
        const { timeZone } = await findPartnership(text, deps);
        return {
          json: { outcome: outcomeNames[outcome], trigger: triggerView(trigger) },
          text: paragraphs(`The trigger ${trigger.name} is ${outcome}.`, triggerText(trigger, timeZone)),
        };
      }, 'trigger apply "Corner Coffee × Skyline Miles" signup-completed.json'),
    );

  addCommand(group, 'list')
    .description('List the triggers of a partnership.')
    .argument(...input.partnershipArgument)
    .action(cli.door(list, 'trigger list "Corner Coffee × Skyline Miles"'));

  addTriggerEventList(group, cli);

  addCommand(group, 'show')
    .description('Show a trigger and the schema of its context.')
    .argument(...input.partnershipArgument)
    .argument('<name>', 'name of the trigger')
    .action(
      cli.door(async ({ deps }, text, name) => {
        const trigger = await findTrigger(text, name, deps);
        const { timeZone } = await findPartnership(text, deps);
        return { json: { trigger: triggerView(trigger) }, text: triggerText(trigger, timeZone) };
      }, 'trigger show "Corner Coffee × Skyline Miles" signup_completed'),
    );
}

/** The outcomes in the JSON output. Scripts expect exactly these words. */
const outcomeNames = { created: 'made', changed: 'changed', unchanged: 'unchanged' } as const;

async function list({ deps }: Operator, text: string): Promise<Report> {
  const { partnership, triggers } = await loadTriggers(text, deps);
  const none = `The partnership ${partnership.name} has no triggers.`;
  return triggerView.list(triggers, { name: 'triggers', none }, {});
}
