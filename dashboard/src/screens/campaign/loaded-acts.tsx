import { type ReactNode, useState } from 'react';
import type { CampaignSummary, CampaignView } from '../../api/types.ts';
import type { MenuAct } from '../../parts/menu.tsx';
import { ActDialog, type AskedAct } from './act-dialog.tsx';
import { TemplateDialog } from './template-dialog.tsx';
import { useCampaignActs } from './use-campaign-acts.tsx';
import { useCampaignMoves } from './use-campaign-moves.ts';

interface Props {
  readonly campaign: CampaignSummary;
  /** What is allowed; undefined as long as it is not known. */
  readonly view: CampaignView | undefined;
  readonly onDeleted?: () => void;
  readonly children: (acts: MenuAct[]) => ReactNode;
}

/** The acts that the person can do with a campaign now, with the questions that come before them. */
export function LoadedActs({ campaign, view, children, onDeleted }: Props) {
  const [asked, ask] = useState<AskedAct | 'template' | null>(null);
  const acts = useCampaignActs(view ?? campaign, asked === 'delete' ? onDeleted : undefined);
  const moves = useCampaignMoves(campaign, view);
  const entry: Readonly<Record<CampaignView['acts'][number]['act'], Omit<MenuAct, 'id'>>> = {
    edit: { label: 'Edit', onAction: moves.edit },
    submit: { label: 'Send to review', onAction: () => acts.mutate({ act: 'submit' }) },
    approve: { label: 'Review and approve', onAction: moves.review },
    reject: { label: 'Reject', onAction: () => ask('reject') },
    activate: { label: 'Start now', onAction: () => acts.mutate({ act: 'activate' }) },
    pause: { label: 'Pause', onAction: () => ask('pause') },
    resume: { label: 'Resume', onAction: () => acts.mutate({ act: 'resume' }) },
    duplicate: { label: 'Duplicate', onAction: moves.duplicate },
    create_template: { label: 'Create template', onAction: () => ask('template') },
    discard: { label: 'Discard changes', isDanger: true, onAction: () => ask('discard') },
    end: { label: 'End', isDanger: true, onAction: () => ask('end') },
    delete: { label: 'Delete', isDanger: true, onAction: () => ask('delete') },
  };
  const allowed = (view?.acts ?? [])
    .filter(({ is_allowed }) => is_allowed)
    .map(({ act }) => ({ id: act, ...entry[act] }));
  const always: MenuAct[] = [{ id: 'export', label: 'Export as JSON', onAction: moves.exportFile }];
  return (
    <>
      {children([
        ...allowed.filter(({ isDanger }) => !isDanger),
        ...always,
        ...allowed.filter(({ isDanger }) => isDanger),
      ])}
      {asked === 'template' && <TemplateDialog campaign={campaign} onClose={() => ask(null)} />}
      {asked !== null && asked !== 'template' && (
        <ActDialog act={asked} campaign={campaign} acts={acts} onClose={() => ask(null)} />
      )}
    </>
  );
}
