import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Shown {
  readonly lines: readonly string[];
  /** Position in the window, in pixels. */
  readonly x: number;
  readonly y: number;
}

const GAP_PX = 12;

const current = signal<Shown | null>(null);

/** Shows lines beside a position in the window. */
export function showTooltip(lines: readonly string[], x: number, y: number): void {
  current.value = { lines, x, y };
}

export function hideTooltip(): void {
  current.value = null;
}

/** One small box beside the pointer or the focused element. It repeats text that is elsewhere too. */
export function Tooltip() {
  const box = useRef<HTMLDivElement>(null);
  const shown = current.value;
  useLayoutEffect(() => {
    if (shown === null || box.current === null) return;
    const { width, height } = box.current.getBoundingClientRect();
    const place = (start: number, size: number, end: number) =>
      `${Math.max(0, start + GAP_PX + size > end ? start - GAP_PX - size : start + GAP_PX)}px`;
    box.current.style.left = place(shown.x, width, innerWidth);
    box.current.style.top = place(shown.y, height, innerHeight);
  }, [shown]);
  return (
    <div ref={box} class="tooltip" aria-hidden="true" hidden={shown === null}>
      {shown?.lines.map((line) => (
        <div key={line}>{line}</div>
      ))}
    </div>
  );
}
