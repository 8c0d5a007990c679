import { useEffect, useState } from 'react';

const settlesAfterMs = 250;

/** The value as it is once it has not changed for a moment, so that not every typed letter asks the server. */
export function useSettled<Value>(value: Value): Value {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), settlesAfterMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
