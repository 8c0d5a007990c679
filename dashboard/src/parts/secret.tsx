import { useState } from 'react';
import { announce } from './announce.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import styles from './secret.module.css';

/** A text to copy, such as a link or an id. */
function CopyText({ label, text }: { readonly label: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      announce('Copied');
    } catch {
      announce('The browser does not allow copying. Select the text, and copy it by hand.');
    }
  };
  return (
    <div className={classes(styles.copy)}>
      <input
        className={classes(styles.text)}
        readOnly
        aria-label={label}
        value={text}
        onFocus={(event) => event.target.select()}
      />
      <Button onPress={copy}>
        <Icon name={isCopied ? 'check' : 'copy'} />
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
    </div>
  );
}

/** A text that is shown this once. It is in no list, and cannot be shown again. */
export function Secret({ label, text, why }: { readonly label: string; readonly text: string; readonly why: string }) {
  return (
    <div className={classes(styles.secret)}>
      <CopyText label={label} text={text} />
      <p className={classes(styles.why)}>{why}</p>
    </div>
  );
}
