/** What a state means: nothing special, all is well, someone should look, it is wrong, it is on its way. */
export type Tone = 'neutral' | 'good' | 'attention' | 'fault' | 'accent';
