import type { AuditEntry } from '../../api/types.ts';
import { Chip } from '../../parts/chip.tsx';
import { Diff } from '../../parts/diff.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Table } from '../../parts/table.tsx';
import { rolesText } from '../../text/role-words.ts';
import styles from './audit.module.css';
import { changesOf } from './changes.ts';

/** The entries of the audit, the latest first. */
export function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <Table
      label="Audit"
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        { id: 'what', label: 'What', cell: (entry) => <What entry={entry} /> },
        {
          id: 'who',
          label: 'Who',
          cell: ({ person, roles }) => (
            <span className={styles.who}>
              {person?.name ?? person?.email ?? 'A removed person'}
              <span className={styles.quiet}>{rolesText(roles)}</span>
            </span>
          ),
        },
        {
          id: 'outcome',
          label: 'Outcome',
          cell: ({ outcome }) => outcome === 'refused' && <Chip tone="attention">Refused</Chip>,
        },
        { id: 'when', label: 'When', isOneLine: true, cell: ({ at }) => <Instant at={at} /> },
      ]}
    />
  );
}

function What({ entry: { what, change } }: { readonly entry: AuditEntry }) {
  const changes = change === null ? [] : changesOf(change);
  return (
    <span className={styles.what}>
      {what}
      {changes.length > 0 && (
        <details>
          <summary>What changed</summary>
          <Diff changes={changes} />
        </details>
      )}
    </span>
  );
}
