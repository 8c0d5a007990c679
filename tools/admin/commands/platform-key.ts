import { InvalidArgumentError } from '@commander-js/extra-typings';
import { type PlatformKey, platformKeyPurposes, secretsAt } from '../../../shared/domain/platform-key.ts';
import {
  listPlatformKeys,
  retirePlatformKey,
  rotatePlatformKey,
} from '../../../shared/operations/organisation/manage-platform-keys.ts';
import { addCommand, type Cli } from '../cli/cli.ts';
import { moment } from '../cli/moments.ts';
import { listed, table } from '../cli/text.ts';

const purposeArgument = ['<purpose>', 'the purpose of the key, as platform-key list shows it', knownPurpose] as const;

export function platformKeyCommands(cli: Cli): void {
  const group = cli.add('platform-key', 'The platform’s own secret keys. Their bytes are never shown.');

  addCommand(group, 'list')
    .description('List the keys with their age, and the ones that are being rotated.')
    .action(
      cli.door(async ({ deps }) => {
        const keys = await listPlatformKeys(deps);
        const rows = keys.map(({ purpose, key }) => [
          purpose,
          ...(key ? stateOf(key, deps.now()) : [null, 'not used yet']),
        ]);
        return {
          json: { keys: keys.map(({ purpose, key }) => ({ purpose, ...(key ? keyView(key) : { createdAt: null }) })) },
          text: table(['purpose', 'made', 'state'], rows),
        };
      }, 'platform-key list'),
    );

  addCommand(group, 'rotate')
    .description('Replace a key by a new one. What the earlier key sealed stays valid for its lifetime.')
    .argument(...purposeArgument)
    .action(
      cli.door(async ({ deps }, purpose) => {
        const key = await rotatePlatformKey(purpose, deps);
        const { sealsFrom = '', earlierUntil = '' } = key.next ?? {};
        return {
          json: { key: { purpose, ...keyView(key) } },
          text:
            `The platform uses a new key ${purpose} from ${moment(sealsFrom)} on. What the earlier key sealed is valid until ` +
            `${moment(earlierUntil)}. You need do nothing more.\n` +
            `If the earlier key leaked: npm run admin -- platform-key retire ${purpose}`,
        };
      }, 'platform-key rotate cursor'),
    );

  addCommand(group, 'retire')
    .description('End the rotation of a key at once: after a leak. What the earlier key sealed is invalid.')
    .argument(...purposeArgument)
    .action(
      cli.door(async ({ deps, confirm }, purpose) => {
        await confirm(`What the earlier key ${purpose} sealed becomes invalid, such as cursors of lists. Retire it?`);
        const key = await retirePlatformKey(purpose, deps);
        return {
          json: { key: { purpose, ...keyView(key) } },
          text: `The earlier key ${purpose} is retired. Functions may still accept it for five minutes.`,
        };
      }, 'platform-key retire cursor'),
    );
}

function knownPurpose(text: string): string {
  if (Object.hasOwn(platformKeyPurposes, text)) return text;
  throw new InvalidArgumentError(`The keys are: ${listed(Object.keys(platformKeyPurposes))}.`);
}

/** A key without its secrets. */
const keyView = ({ createdAt, next }: PlatformKey) => ({
  createdAt,
  next: next ? { createdAt: next.createdAt, sealsFrom: next.sealsFrom, earlierUntil: next.earlierUntil } : null,
});

/** When the key in use was made, and whether it is being rotated. */
function stateOf(key: PlatformKey, now: Date): [string, string] {
  const { next } = key;
  if (!next) return [moment(key.createdAt), 'in use'];
  const { seals, open } = secretsAt(key, now);
  if (open.length === 1) return [moment(next.createdAt), 'in use'];
  const [made, used] =
    seals === next.secret
      ? [next.createdAt, 'in use']
      : [key.createdAt, `in use until ${moment(next.sealsFrom)}, then the new one`];
  return [moment(made), `${used}; the earlier one is valid until ${moment(next.earlierUntil)}`];
}
