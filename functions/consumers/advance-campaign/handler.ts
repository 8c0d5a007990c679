import { advanceCampaign, advanceCampaignStores } from '../../../shared/operations/campaign/advance-campaign.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Starts or ends a campaign whose start or end is due. */
export const handler = consumer(declaration, advanceCampaignStores, advanceCampaign);
