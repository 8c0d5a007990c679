/**
 * The number a JSON text stands for, or undefined when a double cannot hold it exactly as written.
 *
 * EventBridge compares such a number (an 18-digit id, say) by its text only: rounding it would make different ids equal.
 */
export function comparableNumber(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) && decimalForm(String(value)) === decimalForm(text) ? value : undefined;
}

/** One spelling for equal decimals: "3.0e2", "300" and "300.00" all become "3e2". */
function decimalForm(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';

  const scale = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${text.startsWith('-') ? '-' : ''}${significant}e${scale}`;
}
