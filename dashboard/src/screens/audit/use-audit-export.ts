import { useMutation } from '@tanstack/react-query';
import { exportAudit } from '../../api/organisation.ts';
import { toast } from '../../parts/toast.tsx';
import { failureText } from '../../text/failure-text.ts';
import { saveFile } from '../save-file.ts';
import { type AuditChoice, queryOf } from './filters.ts';

/** Saves the entries of the chosen month as a CSV file. */
export function useAuditExport(organisation: number, choice: AuditChoice) {
  return useMutation({
    mutationFn: () => exportAudit(organisation, queryOf(choice)),
    onSuccess: ({ file_name, csv }) => saveFile(file_name, csv, 'text/csv'),
    onError: (error) => toast(failureText(error)),
  });
}
