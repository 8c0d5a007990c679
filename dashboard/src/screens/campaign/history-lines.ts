import type { CampaignEntryView } from '../../api/types.ts';

/** One line of a campaign's history: an act, or the saves that followed one another. */
export interface HistoryLine {
  readonly entry: CampaignEntryView;
  /** How often the same person did it without another act in between. */
  readonly times: number;
}

const actWords: Readonly<Record<CampaignEntryView['act'], string>> = {
  create: 'created the campaign',
  edit: 'changed the draft',
  submit: 'sent it to review',
  approve: 'approved it',
  reject: 'sent it back',
  pause: 'paused it',
  resume: 'resumed it',
  activate: 'started it',
  end: 'ended it',
  discard: 'discarded the changes',
  delete: 'deleted it',
  duplicate: 'copied it',
  create_template: 'made a template of it',
};

/** `Ann approved it`. Of another organisation, the organisation: its people have no names here. */
export const lineText = ({ entry: { person, organisation, act } }: HistoryLine): string =>
  `${person ?? organisation.name} ${actWords[act]}`;

/** The entries, the latest first, with the saves of one person one after the other as one line. */
export function historyLines(entries: readonly CampaignEntryView[]): HistoryLine[] {
  const lines: HistoryLine[] = [];
  for (const entry of entries) {
    const last = lines.at(-1);
    if (last && isSameWork(last.entry, entry)) lines[lines.length - 1] = { ...last, times: last.times + 1 };
    else lines.push({ entry, times: 1 });
  }
  return lines;
}

const isSameWork = (one: CampaignEntryView, other: CampaignEntryView): boolean =>
  one.act === 'edit' &&
  other.act === 'edit' &&
  one.organisation.id === other.organisation.id &&
  one.person === other.person;
