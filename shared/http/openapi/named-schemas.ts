import * as z from 'zod/mini';
import { Cursors } from '../paging.ts';
import { ListedCampaign } from '../views/campaign.ts';
import { CampaignFlow } from '../views/campaign-flow.ts';
import { CampaignTemplate } from '../views/campaign-template.ts';
import { ExternalOrder } from '../views/order.ts';
import { PartnershipView } from '../views/partnership.ts';
import { BearerTransaction, CreatedTransaction, PartnerKeyTransaction } from '../views/reward-transaction.ts';
import { PartnerKeyUser, UserTokenUser } from '../views/user.ts';

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
