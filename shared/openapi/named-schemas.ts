import * as z from 'zod/mini';
import { Cursors } from '../http/paging.ts';
import { ListedCampaign } from '../http/views/campaign.ts';
import { CampaignFlow } from '../http/views/campaign-flow.ts';
import { CampaignTemplate } from '../http/views/campaign-template.ts';
import { ExternalOrder } from '../http/views/order.ts';
import { PartnershipView } from '../http/views/partnership.ts';
import { BearerTransaction, CreatedTransaction, PartnerKeyTransaction } from '../http/views/reward-transaction.ts';
import { PartnerKeyUser, UserTokenUser } from '../http/views/user.ts';

/** The parts of replies that have a name in the documents, and so in the types that clients make of them. */
export const named = z.registry<{ id: string }>();

const schemas: Readonly<Record<string, z.ZodMiniType>> = {
  Campaign: ListedCampaign,
  CampaignFlow,
  CampaignTemplate,
  Cursors,
  ExternalOrder,
  Partnership: PartnershipView,
  CreatedTransaction,
  RewardTransaction: PartnerKeyTransaction,
  RewardTransactionOfBearer: BearerTransaction,
  User: PartnerKeyUser,
  UserStatus: UserTokenUser,
};

for (const [id, schema] of Object.entries(schemas)) named.add(schema, { id });
