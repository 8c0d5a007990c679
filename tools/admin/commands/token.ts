import { type EndedTokens, endUserTokens } from '../../../shared/operations/member/end-user-tokens.ts';
import { issueTokensForTrial } from '../../../shared/operations/member/issue-user-tokens.ts';
import { addCommand, type Cli } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { moment } from '../cli/moments.ts';
import { count, counted, facts, listed } from '../cli/text.ts';

export function tokenCommands(cli: Cli): void {
  const group = cli.add(
    'token',
    'User tokens, with which merchants act for members. On production members grant them, by connecting.',
  );

  addCommand(group, 'issue')
    .description('Issue a user token and a refresh token with which a merchant acts for a member. Not on production.')
    .argument(...input.memberArgument)
    .option(...input.ofOption)
    .option('--merchant <organisation>', 'the merchant that acts, by id or exact name (default: the member’s only one)')
    .action(
      cli.door(async ({ deps }, id, { of, merchant }) => {
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
      }, 'token issue cc-1001 --of "Corner Coffee"'),
    );

  addCommand(group, 'end')
    .description('End the tokens of a member, at one merchant or at all. The accounts stay linked.')
    .argument(...input.memberArgument)
    .option(...input.ofOption)
    .option('--merchant <organisation>', 'only those of this merchant, by id or exact name')
    .action(
      cli.door(
        async ({ deps, confirm }, id, { of, merchant }) => {
          const ask = (planned: readonly EndedTokens[]) =>
            confirm(
              `End the tokens of member ${id} at merchant ${listed(planned.map(({ merchantId }) => String(merchantId)))}?`,
            );
          const ended = await endUserTokens({ member: { id, organisation: of }, merchant, confirm: ask }, deps);
          const lines = ended.map(
            ({ merchantId, grants }) =>
              `Ended at merchant ${merchantId}: ${counted(count(grants), 'grant')}, with all tokens.`,
          );
          return { json: { ended }, text: lines.join('\n') || `Member ${id} has no tokens to end.` };
        },
        'token end cc-1001 --of "Corner Coffee"',
        'token end 3764875723637238 --merchant 1',
      ),
    );
}
