import { useMutation } from '@tanstack/react-query';
import { loadAuditOf } from '../../api/organisation.ts';
import type { AuditEntry } from '../../api/types.ts';
import { toast } from '../../parts/toast.tsx';
import { failureText } from '../../text/failure-text.ts';
import { saveFile } from '../save-file.ts';
import { csvText } from './csv.ts';
import { type AuditChoice, applyChoice } from './filters.ts';

/** Loads all entries of the month, and saves those that the filters let through as a CSV file. */
export function useAuditExport(organisation: number, choice: AuditChoice) {
  return useMutation({
    mutationFn: () => loadAuditOf(organisation, choice.month),
    onSuccess: (entries) =>
      saveFile(`audit ${choice.month}.csv`, csvText(rowsOf(applyChoice(entries, choice))), 'text/csv'),
    onError: (error) => toast(failureText(error)),
  });
}

const rowsOf = (entries: readonly AuditEntry[]): string[][] => [
  ['at', 'person', 'roles', 'act', 'outcome', 'what', 'before', 'after'],
  ...entries.map(({ at, person, roles, act, outcome, what, change }) => [
    at,
    person?.email ?? '',
    roles.join(' '),
    act,
    outcome,
    what,
    change?.before ? JSON.stringify(change.before) : '',
    change?.after ? JSON.stringify(change.after) : '',
  ]),
];
