import type { Member } from '../../../shared/domain/member/member.ts';
import { type Cli, examples } from '../cli/cli.ts';
import { OperatorError } from '../cli/errors.ts';
import type { Report } from '../cli/report.ts';
import { facts, moment } from '../cli/text.ts';
import { findMember, memberText } from '../find/members.ts';
import { findOrganisationOfKind, organisationText } from '../find/organisations.ts';
import { newUserTokens } from '../make/member.ts';
import type { Operator } from '../operator.ts';

export function tokenCommands(cli: Cli): void {
  const group = cli.add('token', 'User tokens to try things with. On production members give them, by connecting.');

  group
    .command('issue')
    .description(
      'Give out a user token and a refresh token with which a merchant acts for a member. Never on production.',
    )
    .argument('<member>', 'id or UUID; an organisation’s own id with --of')
    .option('--of <organisation>', 'whose own id of the member is given, by id or exact name')
    .option('--merchant <organisation>', 'who may act; the member’s only merchant unless given, by id or exact name')
    .addHelpText('after', examples('token issue cc-1001 --of "Corner Coffee"'))
    .action((text, options) => cli.run((operator) => issue(operator, text, options)));
}

async function issue(
  operator: Operator,
  text: string,
  { of, merchant }: { readonly of?: string | undefined; readonly merchant?: string | undefined },
): Promise<Report> {
  if (operator.stage.name === 'production') {
    throw new OperatorError('on production only members themselves let somebody act for them, by connecting');
  }
  const member = await findMember(operator.platform, text, of);
  const merchantId = await merchantOf(operator, member, merchant);
  const { made, writes } = newUserTokens(operator.platform, member, merchantId);
  await operator.change({
    what: `gave out user tokens of ${memberText(member)} for organisation ${merchantId}`,
    writes,
    conflict: 'there are such tokens already; nothing was changed, try again',
  });
  const { accessToken, refreshToken, expiresAt } = made;
  return {
    json: { memberId: member.user.id, merchantId, accessToken, refreshToken, expiresAt },
    text: facts({
      'user token (shown this once)': accessToken,
      'refresh token (shown this once)': refreshToken,
      'the user token expires': expiresAt === null ? null : moment(expiresAt),
      'for organisation': merchantId,
    }),
  };
}

async function merchantOf({ platform }: Operator, member: Member, text: string | undefined): Promise<number> {
  const ids = member.associations.map(({ merchantId }) => merchantId);
  const [only, ...others] = ids;
  if (text === undefined) {
    if (only === undefined) throw new OperatorError(`${memberText(member)} is a customer of no merchant`);
    if (others.length === 0) return only;
    throw new OperatorError(`${memberText(member)} is a customer of ${ids.join(', ')}: name one with --merchant`);
  }
  const merchant = await findOrganisationOfKind(platform, text, 'MERCHANT');
  if (ids.includes(merchant.id)) return merchant.id;
  throw new OperatorError(`${memberText(member)} is no customer of ${organisationText(merchant)}`);
}
