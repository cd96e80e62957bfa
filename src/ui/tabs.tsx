interface TabsProps {
  readonly label: string;
  /** The address of each tab, and its name. */
  readonly tabs: readonly (readonly [href: string, name: string])[];
  readonly current: string;
}

/** Parts of a page that have addresses of their own. */
export function Tabs({ label, tabs, current }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([href, name]) => (
        <a key={href} href={href} aria-current={href === current ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
