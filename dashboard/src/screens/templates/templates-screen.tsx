import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { may } from '../../api/session.ts';
import { deleteTemplate, templatesQuery } from '../../api/templates.ts';
import type { TemplateView } from '../../api/types.ts';
import { ButtonLink } from '../../parts/button-link.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Page } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { typeWords } from '../../text/campaign-words.ts';
import { failureText } from '../../text/failure-text.ts';
import { useOrganisation } from '../../use-organisation.ts';
import styles from '../campaigns/campaigns.module.css';
import { PlaceLink } from '../place-link.tsx';

/** The templates that campaigns can begin with. */
export function TemplatesScreen() {
  const organisation = useOrganisation();
  const query = useQuery(templatesQuery(organisation.id));
  return (
    <Page
      title="Templates"
      actions={
        may(organisation, 'campaigns:write') && (
          <ButtonLink
            look="primary"
            to="/$organisation/campaigns/new"
            params={{ organisation: String(organisation.id) }}
          >
            New campaign
          </ButtonLink>
        )
      }
    >
      <Loaded query={query} what="the templates">
        {(templates) =>
          templates.length === 0 ? (
            <Empty action={<PlaceLink to="/$organisation/campaigns">See campaigns</PlaceLink>}>
              Keep a campaign that you will need again as a template: open its menu, and choose “Create template”.
            </Empty>
          ) : (
            <TemplateTable templates={templates} />
          )
        }
      </Loaded>
    </Page>
  );
}

function TemplateTable({ templates }: { readonly templates: readonly TemplateView[] }) {
  const organisation = useOrganisation();
  const [asked, ask] = useState<TemplateView | null>(null);
  const isOwn = ({ owner }: TemplateView) => owner?.id === organisation.id;
  return (
    <>
      <Table
        label="Templates"
        rows={templates}
        keyOf={({ id }) => String(id)}
        columns={[
          {
            id: 'name',
            label: 'Template',
            cell: ({ name, description }) => (
              <span className={styles.name}>
                <strong>{name}</strong>
                {description && <span className={styles.quiet}>{description}</span>}
              </span>
            ),
          },
          { id: 'type', label: 'Type', cell: ({ type }) => typeWords[type] },
          { id: 'owner', label: 'From', cell: ({ owner }) => owner?.name ?? 'The platform' },
          {
            id: 'acts',
            label: 'Acts',
            hasHiddenLabel: true,
            cell: (template) =>
              isOwn(template) &&
              may(organisation, 'templates:write') && (
                <Menu
                  label={`Acts of ${template.name}`}
                  acts={[{ id: 'delete', label: 'Delete template', isDanger: true, onAction: () => ask(template) }]}
                />
              ),
          },
        ]}
      />
      {asked && <DeleteTemplate template={asked} onClose={() => ask(null)} />}
    </>
  );
}

function DeleteTemplate({ template, onClose }: { readonly template: TemplateView; readonly onClose: () => void }) {
  const organisation = useOrganisation().id;
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteTemplate(organisation, template.id),
    onSuccess: () => toast(`The template ${template.name} was deleted`),
    onError: (error) => toast(failureText(error)),
    onSettled: () => {
      queryClient.invalidateQueries({ queryKey: ['templates', organisation] });
      onClose();
    },
  });
  return (
    <Confirm
      question={`Delete the template ${template.name}?`}
      act="Delete template"
      keep="Keep it"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>Campaigns that were made from it stay as they are.</p>
    </Confirm>
  );
}
