import { iconPaths } from './icon-paths.ts'

export type IconName = keyof typeof iconPaths

/** Always beside text, or in something that has a name of its own. */
export function Icon({ name, size = 16 }: { name: IconName; size?: 14 | 16 }) {
  return (
    <svg className={size === 14 ? 'icon size-14' : 'icon'} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {iconPaths[name].map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  )
}
