import { useInfiniteQuery } from '@tanstack/react-query';
import { campaignHistoryQuery } from '../../api/campaigns.ts';
import type { CampaignView } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { countText } from '../../text/numbers.ts';
import { useOrganisation } from '../../use-organisation.ts';
import styles from './campaign.module.css';
import { type HistoryLine, historyLines, lineText } from './history-lines.ts';

/** Who did what with a campaign, the latest first. */
export function History({ campaign: { id } }: { readonly campaign: CampaignView }) {
  const query = useInfiniteQuery(campaignHistoryQuery(useOrganisation().id, id));
  return (
    <Loaded query={query} what="what was done">
      {({ pages }) => {
        const lines = historyLines(pages.flatMap(({ data }) => data.acts));
        if (lines.length === 0) return <p className={styles.quiet}>Nobody has changed it since it was made.</p>;
        return (
          <Card>
            <ol className={styles.history}>
              {lines.map((line) => (
                <Line key={line.entry.revision} line={line} />
              ))}
            </ol>
            {query.hasNextPage && (
              <div>
                <Button isBusy={query.isFetchingNextPage} onPress={() => query.fetchNextPage()}>
                  Load earlier acts
                </Button>
              </div>
            )}
          </Card>
        );
      }}
    </Loaded>
  );
}

function Line({ line }: { readonly line: HistoryLine }) {
  const { entry, times } = line;
  return (
    <li className={styles.line}>
      <span className={styles.act}>
        {lineText(line)}
        {times > 1 && <span className={styles.quiet}> · saved {countText(times, 'time')}</span>}
        {entry.reason !== null && <span className={styles.quiet}>“{entry.reason}”</span>}
      </span>
      <span className={styles.quiet}>
        <Instant at={entry.at} />
      </span>
    </li>
  );
}
