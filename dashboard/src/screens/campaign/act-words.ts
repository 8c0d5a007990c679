import type { ActView } from '../../api/types.ts';

/** The acts on a campaign, as its buttons and menus say them. */
export const actLabels: Readonly<Record<ActView['act'], string>> = {
  edit: 'Edit',
  submit: 'Send to review',
  approve: 'Review and approve',
  reject: 'Reject',
  activate: 'Start now',
  pause: 'Pause',
  resume: 'Resume',
  duplicate: 'Duplicate',
  create_template: 'Create template',
  discard: 'Discard changes',
  end: 'End',
  delete: 'Delete',
};
