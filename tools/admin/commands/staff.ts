import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { isUuid } from '../../../shared/domain/ids.ts';
import { type StaffRole, staffRoles } from '../../../shared/domain/staff/roles.ts';
import { emailOf, type Identity, type Staff } from '../../../shared/domain/staff/staff.ts';
import { NotFoundError } from '../../../shared/operations/errors.ts';
import { findOrganisation, loadOrganisationNames } from '../../../shared/operations/organisation/find-organisation.ts';
import { invitePerson } from '../../../shared/operations/staff/invite-person.ts';
import {
  type Employment,
  loadEmployment,
  removeStaff,
  resetIdentity,
} from '../../../shared/operations/staff/manage-staff.ts';
import { staffItems } from '../../../shared/store/staff/staff-items.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { moment } from '../cli/moments.ts';
import { facts, paragraphs } from '../cli/text.ts';
import { scan } from '../reconcile/read-books.ts';
import { staffView } from '../views/staff.ts';

const personArgument = ['<person>', 'id or e-mail address of the person'] as const;

/** Commands for the people who work with the dashboard. */
export function staffCommands(cli: Cli): void {
  const group = cli.add('staff', 'People who work with the dashboard.');

  addCommand(group, 'list')
    .description('List the people of all organisations, with their roles. Reads the whole table.')
    .action(cli.door(list, 'staff list', 'staff list --json'));

  addCommand(group, 'reset')
    .description(
      'Reset the sign-in of a person who lost the devices for it, and end all sessions. The next person who proves the address with a new account is the person, within 7 days.',
    )
    .argument(...personArgument)
    .action(cli.door(reset, 'staff reset ada@corner-coffee.example'));

  addCommand(group, 'remove')
    .description(
      'Remove a person from all organisations, and delete the data of the person, for good. The audit trails keep the id.',
    )
    .argument(...personArgument)
    .action(cli.door(remove, 'staff remove ada@corner-coffee.example --yes'));
}

/** Adds the command `organisation invite`. */
export function inviteCommand(cli: Cli, group: CommandUnknownOpts): void {
  addCommand(group, 'invite')
    .description(
      'Invite a person to the dashboard, for the first owner of an organisation. The platform sends no message: tell the person.',
    )
    .argument(...input.organisationArgument)
    .requiredOption('--email <address>', 'address that the person has to prove', emailAddress)
    .addOption(
      new Option(
        '--role <role>',
        `a role of the person (${staffRoles.join(', ')}); may be repeated (default: owner)`,
      ).argParser(repeatedRole),
    )
    .action(
      cli.door(
        invite,
        'organisation invite "Corner Coffee" --email ada@corner-coffee.example',
        'organisation invite 1 --email grace@corner-coffee.example --role editor --role developer',
      ),
    );
}

function emailAddress(text: string): string {
  const email = emailOf(text);
  if (email === undefined) throw new InvalidArgumentError('It has to be an e-mail address.');
  return email;
}

function repeatedRole(text: string, earlier: readonly StaffRole[] = []): StaffRole[] {
  const role = staffRoles.find((one) => one === text);
  if (role === undefined) throw new InvalidArgumentError(`It has to be one of ${staffRoles.join(', ')}.`);
  return [...earlier, role];
}

type InviteOptions = input.Needed<'email'> & input.Given<'role', readonly StaffRole[]>;

async function invite(
  { deps }: Operator,
  text: string,
  { email, role: roles = ['owner'] }: InviteOptions,
): Promise<Report> {
  const organisation = await findOrganisation(text, deps);
  const { id, expiresAt, roles: given } = await invitePerson({ organisationId: organisation.id, email, roles }, deps);
  return {
    json: { invitation: { id, organisationId: organisation.id, email, roles: given, expiresAt } },
    text: paragraphs(
      facts({
        invitation: id,
        organisation: organisation.name,
        'e-mail': email,
        roles: given.join(', '),
        until: moment(expiresAt),
      }),
      'No message is sent. Tell the person to open the dashboard and to sign in with exactly this address.',
    ),
  };
}

async function list({ deps, stage }: Operator): Promise<Report> {
  const people: Employment[] = [];
  for await (const staff of allStaff(stage)) people.push({ staff, posts: await deps.people.postsOf(staff.id) });
  people.sort((one, other) => (one.staff.email < other.staff.email ? -1 : 1));
  const ids = people.flatMap(({ posts }) => posts.map(({ organisationId }) => organisationId));
  return staffView.list(
    people,
    { name: 'people', none: 'Nobody works with the dashboard yet.' },
    await loadOrganisationNames(ids, deps),
  );
}

async function reset({ deps, stage, confirm }: Operator, text: string): Promise<Report> {
  const id = await idOf(text, stage);
  const { staff } = await resetIdentity(
    {
      id,
      confirm: (found) =>
        confirm(`Reset the sign-in of ${nameOf(found)}? All sessions end, and the present account never works again.`),
    },
    deps,
  );
  const account = await deleteAccount(staff.identity, stage);
  return {
    json: { person: staffView(await loadEmployment(id, deps)), deleteAccount: account },
    text: paragraphs(
      `The sign-in of ${staff.email} is reset. The person can sign up again with the address within 7 days.`,
      ...(account === null ? [] : [`Delete the account at the user pool before:\n${account}`]),
    ),
  };
}

async function remove({ deps, stage, confirm }: Operator, text: string): Promise<Report> {
  const id = await idOf(text, stage);
  const employment = await removeStaff(
    { id, confirm: (found) => confirm(`Remove ${nameOf(found)} from ${found.posts.length} organisations, for good?`) },
    deps,
  );
  const { identity, email } = employment.staff;
  const account = await deleteAccount(identity, stage);
  return {
    json: { person: staffView(employment), deleteAccount: account },
    text: paragraphs(
      `${email} is removed, and the data of the person is deleted.`,
      ...(account === null ? [] : [`Delete the account at the user pool, too:\n${account}`]),
    ),
  };
}

const nameOf = ({ staff }: Employment) => (staff.name === null ? staff.email : `${staff.name} (${staff.email})`);

const userPool = /^https:\/\/cognito-idp\.([a-z0-9-]+)\.amazonaws\.com\/([\w-]+)$/;

/**
 * Deletes the account of an identity at the local user pool. Returns the command by which the operator deletes an account
 * of a Cognito user pool on AWS; null when nothing is left to do.
 */
async function deleteAccount(identity: Identity | null, stage: Operator['stage']): Promise<string | null> {
  const [, region, pool] = userPool.exec(identity?.issuer ?? '') ?? [];
  if (!identity || pool === undefined) return null;
  const command = `aws cognito-idp admin-delete-user --region ${region} --user-pool-id ${pool} --username ${identity.subject}`;
  if (!stage.deleteAccount) return command;
  await stage.deleteAccount({ UserPoolId: pool, Username: identity.subject });
  return null;
}

/** Reads every person. Time and cost grow with the size of the table. */
async function* allStaff(stage: Operator['stage']): AsyncGenerator<Staff> {
  for await (const item of scan({ name: stage.tableName, documents: stage.documents }, ['staff'])) {
    if (item.sk === 'STAFF') yield staffItems.parse(item);
  }
}

/** @throws NotFoundError when nobody has the address */
async function idOf(text: string, stage: Operator['stage']): Promise<string> {
  if (isUuid(text)) return text;
  const email = emailOf(text);
  for await (const staff of allStaff(stage)) if (staff.email === email) return staff.id;
  throw new NotFoundError({ kind: 'person', id: text });
}
