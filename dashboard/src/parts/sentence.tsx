import { classes } from './classes.ts';
import styles from './sentence.module.css';

/** A piece of a sentence. With a pointer it is a value of the campaign, and is emphasised. */
interface Piece {
  readonly text: string;
  readonly pointer?: string;
}

/** A flow in words, with its values emphasised. */
export function Sentence({ pieces }: { readonly pieces: readonly Piece[] }) {
  return <p className={classes(styles.sentence)}>{pieces.map(toElement)}</p>;
}

function toElement({ text, pointer }: Piece, position: number) {
  const key = `${position} ${text}`;
  return pointer === undefined ? <span key={key}>{text}</span> : <strong key={key}>{text}</strong>;
}
