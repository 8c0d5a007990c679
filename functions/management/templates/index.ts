import { resourceHandler } from '../../../shared/http/resource.ts';
import { contract as createTemplateContract } from './create-template/contract.ts';
import { handler as createTemplate } from './create-template/handler.ts';
import { contract as deleteTemplateContract } from './delete-template/contract.ts';
import { handler as deleteTemplate } from './delete-template/handler.ts';
import { contract as listTemplatesContract } from './list-templates/contract.ts';
import { handler as listTemplates } from './list-templates/handler.ts';

export const handler = resourceHandler([
  [listTemplatesContract, listTemplates],
  [createTemplateContract, createTemplate],
  [deleteTemplateContract, deleteTemplate],
]);
