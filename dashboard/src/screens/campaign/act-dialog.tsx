import { useState } from 'react';
import type { ActName, CampaignView } from '../../api/types.ts';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { failureText } from '../../text/failure-text.ts';
import { useKeptText } from '../../use-kept-text.ts';
import type { useCampaignActs } from './use-campaign-acts.tsx';

export type AskedAct = Extract<ActName, 'end' | 'discard' | 'reject' | 'pause'> | 'delete';

interface Props {
  readonly act: AskedAct;
  readonly campaign: Pick<CampaignView, 'id' | 'name' | 'status'>;
  readonly acts: ReturnType<typeof useCampaignActs>;
  readonly onClose: () => void;
}

const questions = {
  end: {
    question: (name: string) => `End ${name}?`,
    text: 'Members get nothing from it any more, and it cannot be started again. What they already have stays.',
    act: (name: string) => `End ${name}`,
    keep: 'Keep it running',
  },
  pause: {
    question: (name: string) => `Pause ${name}?`,
    text: 'Purchases during the pause earn nothing, also later. You can resume it at any time.',
    act: (name: string) => `Pause ${name}`,
    keep: 'Keep it running',
  },
  discard: {
    question: (name: string) => `Discard the changes of ${name}?`,
    text: 'The next version and its approvals are dropped. What runs now goes on.',
    act: () => 'Discard the changes',
    keep: 'Keep them',
  },
  delete: {
    question: (name: string) => `Delete ${name}?`,
    text: 'It disappears for both sides, and cannot be brought back.',
    act: (name: string) => `Delete ${name}`,
    keep: 'Keep it',
  },
} as const;

/** Asks before an act that others see or that cannot be taken back. */
export function ActDialog({ act, campaign, acts, onClose }: Props) {
  if (act === 'reject') return <RejectDialog campaign={campaign} acts={acts} onClose={onClose} />;
  const { question, text, act: verb, keep } = questions[act];
  return (
    <Confirm
      question={question(campaign.name)}
      act={verb(campaign.name)}
      keep={keep}
      isBusy={acts.isPending}
      {...(act === 'delete' && { typed: campaign.name })}
      onConfirm={() => acts.mutate({ act }, { onSettled: onClose })}
      onClose={onClose}
    >
      <p>{text}</p>
    </Confirm>
  );
}

/** Sends a version back with a reason that its authors read. */
function RejectDialog({ campaign, acts, onClose }: Omit<Props, 'act'>) {
  const [typed, type] = useKeptText(`reason ${campaign.id}`);
  const reason = typed ?? '';
  const [isChecked, check] = useState(false);
  const fault =
    isChecked && reason.trim() === '' ? 'Say what has to change, so that the other side can mend it.' : undefined;
  const sent = () => {
    type(null);
    onClose();
  };
  const send = () => {
    check(true);
    if (reason.trim() !== '') acts.mutateAsync({ act: 'reject', reason: reason.trim() }).then(sent, () => undefined);
  };
  return (
    <Dialog
      title={`Reject ${campaign.name}?`}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Keep it in review</Button>
          <Button look="danger" isBusy={acts.isPending} onPress={send}>
            Reject campaign
          </Button>
        </>
      }
    >
      {acts.error && acts.variables?.act === 'reject' && <Banner tone="fault">{failureText(acts.error)}</Banner>}
      <p>It becomes a draft again. Both sides read your reason.</p>
      <TextField label="Reason" rows={3} value={reason} onChange={type} fault={fault} autoFocus />
    </Dialog>
  );
}
