import { useQuery } from '@tanstack/react-query';
import { campaignsQuery } from '../../api/campaigns.ts';
import { peopleQuery } from '../../api/people.ts';
import { templatesQuery } from '../../api/templates.ts';
import { useOrganisation } from '../../use-organisation.ts';
import type { ActNames } from './act-text.ts';

/** The names of the organisation's campaigns, people and templates. */
export function useActNames(): ActNames {
  const { id } = useOrganisation();
  const { data: campaigns = [] } = useQuery(campaignsQuery(id));
  const { data: people } = useQuery(peopleQuery(id));
  const { data: templates = [] } = useQuery(templatesQuery(id));
  return {
    campaign: namesOf(campaigns),
    person: new Map(people?.people.map(({ id: person, name, email }) => [person, name ?? email])),
    template: namesOf(templates),
  };
}

const namesOf = (things: readonly { readonly id: number; readonly name: string }[]) =>
  new Map(things.map(({ id, name }) => [String(id), name]));
