import { issueTokensForTrial } from '../../../shared/operations/member/issue-user-tokens.ts';
import { type Cli, examples, memberArgument, type Operator, ofOption, type Report } from '../cli/cli.ts';
import { facts, moment } from '../cli/text.ts';

export function tokenCommands(cli: Cli): void {
  const group = cli.add('token', 'User tokens to try the API with. On production members grant them, by connecting.');

  group
    .command('issue')
    .description('Issue a user token and a refresh token with which a merchant acts for a member. Not on production.')
    .argument(...memberArgument)
    .option(...ofOption)
    .option('--merchant <organisation>', 'the merchant that acts, by id or exact name (default: the member’s only one)')
    .addHelpText('after', examples('token issue cc-1001 --of "Corner Coffee"'))
    .action(cli.door(issue));
}

interface IssueOptions {
  readonly of?: string | undefined;
  readonly merchant?: string | undefined;
}

async function issue({ deps }: Operator, id: string, { of, merchant }: IssueOptions): Promise<Report> {
  const issued = await issueTokensForTrial({ member: { id, organisation: of }, merchant }, deps);
  const { memberId, merchantId, accessToken, refreshToken, expiresAt } = issued;
  return {
    json: { memberId, merchantId, accessToken, refreshToken, expiresAt },
    text: facts({
      'user token (shown this once)': accessToken,
      'refresh token (shown this once)': refreshToken,
      'the user token expires': expiresAt === null ? null : moment(expiresAt),
      'for organisation': merchantId,
    }),
  };
}
