import type { HostContract } from '../shared/contracts/contract.ts';
import { contract as createConnectToken } from './base/create-connect-token/contract.ts';
import { contract as getConnect } from './base/get-connect/contract.ts';
import { contract as getPartnership } from './base/get-partnership/contract.ts';
import { contract as getTransactionByKey } from './base/get-transaction/contract.ts';
import { contract as getUser } from './base/get-user/contract.ts';
import { contract as issueToken } from './base/issue-token/contract.ts';
import { contract as linkAccount } from './base/link-account/contract.ts';
import { contract as receivePayment } from './base/receive-payment/contract.ts';
import { contract as reportFromProgram } from './base/report-from-program/contract.ts';
import { contract as revokeToken } from './base/revoke-token/contract.ts';
import { contract as sendTrigger } from './base/send-trigger/contract.ts';
import { contract as showConnectPage } from './base/show-connect-page/contract.ts';
import { contract as submitConnectPage } from './base/submit-connect-page/contract.ts';
import { contract as unlinkAccount } from './base/unlink-account/contract.ts';
import { contract as updateAttributes } from './base/update-attributes/contract.ts';
import { contract as listCampaigns } from './campaign/list-campaigns/contract.ts';
import { contract as listTemplates } from './campaign/list-templates/contract.ts';
import { contract as simulateCampaigns } from './campaign/simulate-campaigns/contract.ts';
import { openApiContracts } from './every-host/get-openapi/contract.ts';
import { contract as commitSalt } from './notification/commit-salt/contract.ts';
import { contract as enableWebhook } from './notification/enable-webhook/contract.ts';
import { contract as getDelivery } from './notification/get-delivery/contract.ts';
import { contract as getReplay } from './notification/get-replay/contract.ts';
import { contract as getWebhook } from './notification/get-webhook/contract.ts';
import { contract as listDeliveries } from './notification/list-deliveries/contract.ts';
import { contract as listWebhooks } from './notification/list-webhooks/contract.ts';
import { contract as replayDelivery } from './notification/replay-delivery/contract.ts';
import { contract as rotateSalt } from './notification/rotate-salt/contract.ts';
import { contract as startReplay } from './notification/start-replay/contract.ts';
import { contract as subscribeWebhook } from './notification/subscribe-webhook/contract.ts';
import { contract as testWebhook } from './notification/test-webhook/contract.ts';
import { contract as updateWebhook } from './notification/update-webhook/contract.ts';
import { contract as createOrder } from './order/create-order/contract.ts';
import { contract as getOrder } from './order/get-order/contract.ts';
import { contract as refundOrder } from './order/refund-order/contract.ts';
import { contract as authenticateTransaction } from './reward/authenticate-transaction/contract.ts';
import { contract as createTransaction } from './reward/create-transaction/contract.ts';
import { contract as getTransactionByBearer } from './reward/get-transaction/contract.ts';
import { contract as refundTransaction } from './reward/refund-transaction/contract.ts';
import { contract as getUserStatus } from './user/get-user-status/contract.ts';
import { contract as unlinkOwnAccount } from './user/unlink-own-account/contract.ts';

/** Every endpoint of the platform. The stacks, the tests and the documentation read this list. */
export const contracts: readonly HostContract[] = [
  authenticateTransaction,
  createTransaction,
  getTransactionByBearer,
  getUser,
  updateAttributes,
  getUserStatus,
  getPartnership,
  getTransactionByKey,
  sendTrigger,
  issueToken,
  revokeToken,
  createOrder,
  getOrder,
  refundOrder,
  refundTransaction,
  createConnectToken,
  getConnect,
  linkAccount,
  showConnectPage,
  submitConnectPage,
  unlinkAccount,
  unlinkOwnAccount,
  reportFromProgram,
  receivePayment,
  listCampaigns,
  listTemplates,
  simulateCampaigns,
  subscribeWebhook,
  updateWebhook,
  listWebhooks,
  getWebhook,
  testWebhook,
  enableWebhook,
  rotateSalt,
  commitSalt,
  listDeliveries,
  getDelivery,
  replayDelivery,
  startReplay,
  getReplay,
  ...openApiContracts,
];

/** The folder below functions/ that contains the folder of an endpoint. Some endpoints have the same code on every host. */
export const codeHostOf = ({ host, name }: { readonly host: string; readonly name: string }): string =>
  openApiContracts.some((contract) => contract.name === name) ? 'every-host' : host;
