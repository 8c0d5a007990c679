import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { auditQuery } from '../../api/organisation.ts';
import { peopleQuery } from '../../api/people.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { useOrganisation } from '../../use-organisation.ts';
import { actText } from './act-text.ts';
import { AuditTable } from './audit-table.tsx';
import { AuditFilterBar } from './filter-bar.tsx';
import { type AuditChoice, latestMonths, queryOf, withText } from './filters.ts';
import { useActNames } from './use-act-names.ts';
import { useAuditExport } from './use-audit-export.ts';

/** Who did what in the organisation, a month at a time. */
export function AuditScreen() {
  const organisation = useOrganisation();
  const [choice, choose] = useState<AuditChoice>({
    month: latestMonths(new Date())[0] ?? '',
    person: null,
    outcome: 'all',
    text: '',
  });
  const query = useInfiniteQuery(auditQuery(organisation.id, queryOf(choice)));
  const people = useQuery(peopleQuery(organisation.id));
  const names = useActNames();
  const csv = useAuditExport(organisation.id, choice);
  return (
    <Page
      title="Audit"
      actions={
        <Button isBusy={csv.isPending} onPress={() => csv.mutate()}>
          Export CSV
        </Button>
      }
    >
      <AuditFilterBar choice={choice} people={people.data?.people ?? []} onChange={choose} />
      <Loaded query={query} what="the audit">
        {({ pages }) => {
          const entries = withText(
            pages.flatMap(({ data }) => data.entries).map((entry) => ({ ...entry, what: actText(entry, names) })),
            choice.text,
          );
          return (
            <>
              {entries.length > 0 ? (
                <AuditTable entries={entries} />
              ) : (
                <Empty>Nothing was done in this month that fits.</Empty>
              )}
              {query.hasNextPage && (
                <div>
                  <Button isBusy={query.isFetchingNextPage} onPress={() => query.fetchNextPage()}>
                    Load earlier entries
                  </Button>
                </div>
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
