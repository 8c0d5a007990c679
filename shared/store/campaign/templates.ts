import { organisationPartition } from '../../contracts/table.ts';
import { platformOwnerId, Template } from '../../domain/campaign/document/template.ts';
import { type ListPage, type PageRange, readPage } from '../table/list-page.ts';
import { defineEntity, exists, Repository, type Write } from '../table/table-client.ts';

const prefix = 'TEMPLATE#';

/** Pads ids to one width, so the texts sort like numbers. Ids increase, so the newest template has the greatest id. */
const templates = defineEntity(Template, (ownerId: number, id: number) => ({
  pk: organisationPartition(ownerId),
  sk: prefix + String(id).padStart(16, '0'),
}));

/** Templates of campaigns, in the partition of their owner. Every organisation sees the templates of the platform. */
export class Templates extends Repository {
  /** A template of an owner. */
  async find(ownerId: number, id: number): Promise<Template | undefined> {
    const item = await this.table.get(templates.key(ownerId, id));
    return item && templates.parse(item);
  }

  /** One page of the templates of an organisation and of the platform together, the newest first. */
  async offeredTo(organisationId: number, range: PageRange): Promise<ListPage<Template>> {
    const owners = [organisationId, platformOwnerId];
    const sources = owners.map((ownerId) => ({ partition: organisationPartition(ownerId), prefix }));
    const page = await readPage(this.table, sources, range);
    return { ...page, items: page.items.map(templates.parse) };
  }
}

/** The write of a template, new or changed. */
export function templateWrite(template: Template): Write {
  return { kind: 'put', item: templates.item(templates.key(template.ownerId, template.id), template) };
}

/** The write that deletes a template, on the condition that it exists. */
export const templateDeletion = (ownerId: number, id: number): Write => ({
  kind: 'delete',
  key: templates.key(ownerId, id),
  when: exists,
});
