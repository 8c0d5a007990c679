import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Autocomplete, useFilter } from 'react-aria-components/Autocomplete';
import { Dialog } from 'react-aria-components/Dialog';
import { Input } from 'react-aria-components/Input';
import { Menu, MenuItem } from 'react-aria-components/Menu';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { SearchField } from 'react-aria-components/SearchField';
import { campaignsQuery } from '../api/campaigns.ts';
import type { Membership } from '../api/types.ts';
import { classes } from '../parts/classes.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import popup from '../parts/popup.module.css';
import { statusWords } from '../text/campaign-words.ts';
import styles from './command-list.module.css';
import { placesOf } from './places.ts';

interface Props {
  readonly organisation: Membership;
  readonly onClose: () => void;
}

/** So many fit on a small screen. What is not among them is found by typing more of its name. */
const shownEntries = 8;

interface Entry {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  readonly icon: IconName;
  readonly go: () => void;
}

/** Finds a place or a campaign by typing a part of its name. */
export function CommandList({ organisation, onClose }: Props) {
  const { contains } = useFilter({ sensitivity: 'base' });
  const [text, setText] = useState('');
  const found = useEntries(organisation).filter(({ label }) => contains(label, text));
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={(isOpen) => !isOpen && onClose()}
      className={classes(styles.scrim)}
    >
      <Modal className={classes(styles.window)}>
        <Dialog aria-label="Search" className={classes(styles.dialog)}>
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField aria-label="Search places and campaigns" autoFocus className={classes(styles.search)}>
              <Icon name="search" />
              <Input placeholder="Search places and campaigns" className={classes(styles.input)} />
            </SearchField>
            <Menu
              items={found.slice(0, shownEntries)}
              className={classes(styles.list)}
              renderEmptyState={() => <p className={classes(styles.none)}>Nothing has this name.</p>}
            >
              {({ id, label, detail, icon, go }) => (
                <MenuItem
                  id={id}
                  textValue={label}
                  className={classes(popup.item)}
                  onAction={() => {
                    onClose();
                    go();
                  }}
                >
                  <Icon name={icon} />
                  <span className={classes(popup.text)}>{label}</span>
                  <span className={classes(popup.help)}>{detail}</span>
                </MenuItem>
              )}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function useEntries(membership: Membership): Entry[] {
  const { id } = membership;
  const navigate = useNavigate();
  const { data = [] } = useQuery(campaignsQuery(id));
  const organisation = String(id);
  return [
    ...placesOf(membership).map(({ label, to, icon }) => ({
      id: to,
      label,
      detail: '',
      icon,
      go: () => navigate({ to, params: { organisation } }),
    })),
    ...data.map((campaign) => ({
      id: `campaign ${campaign.id}`,
      label: campaign.name,
      detail: statusWords[campaign.status].label,
      icon: 'campaigns' as const,
      go: () =>
        navigate({ to: '/$organisation/campaigns/$campaign', params: { organisation, campaign: String(campaign.id) } }),
    })),
  ];
}
