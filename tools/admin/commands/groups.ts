import { auditCommands } from './audit.ts';
import { campaignCommands } from './campaign.ts';
import { clientCommands } from './client.ts';
import type { CommandGroup } from './group.ts';
import { keyCommands } from './key.ts';
import { memberCommands } from './member.ts';
import { organisationCommands } from './organisation.ts';
import { partnershipCommands } from './partnership.ts';
import { reconcileCommand } from './reconcile.ts';
import { templateCommands } from './template.ts';
import { tokenCommands } from './token.ts';
import { triggerCommands } from './trigger.ts';

/** Every group of commands, in the order in which the help lists them. */
export const commandGroups: readonly CommandGroup[] = [
  organisationCommands,
  keyCommands,
  clientCommands,
  partnershipCommands,
  campaignCommands,
  templateCommands,
  triggerCommands,
  memberCommands,
  tokenCommands,
  reconcileCommand,
  auditCommands,
];
