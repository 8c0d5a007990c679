import { type ReactNode, useState } from 'react';
import type { ActView, CampaignSummary, CampaignView } from '../../api/types.ts';
import type { MenuAct } from '../../parts/menu.tsx';
import { ActDialog, type AskedAct } from './act-dialog.tsx';
import { actLabels } from './act-words.ts';
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
  const entry: Readonly<Record<ActView['act'], Omit<MenuAct, 'id' | 'label'>>> = {
    edit: { onAction: moves.edit },
    submit: { onAction: () => acts.mutate({ act: 'submit' }) },
    approve: { onAction: moves.review },
    reject: { onAction: () => ask('reject') },
    activate: { onAction: () => acts.mutate({ act: 'activate' }) },
    pause: { onAction: () => ask('pause') },
    resume: { onAction: () => acts.mutate({ act: 'resume' }) },
    duplicate: { onAction: moves.duplicate },
    create_template: { onAction: () => ask('template') },
    discard: { isDanger: true, onAction: () => ask('discard') },
    end: { isDanger: true, onAction: () => ask('end') },
    delete: { isDanger: true, onAction: () => ask('delete') },
  };
  const allowed = (view?.acts ?? [])
    .filter(({ is_allowed }) => is_allowed)
    .map(({ act }) => ({ id: act, label: actLabels[act], ...entry[act] }));
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
