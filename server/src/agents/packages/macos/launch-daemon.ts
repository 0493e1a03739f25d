import { macLabel, macPlaces } from './mac-places.ts'
import { xmlText } from './xml-text.ts'

type Value = string | number | boolean | readonly string[]

/**
 * What launchd keeps running, by launchd.plist(5). `KeepAlive` starts it again whatever it ended with, ten seconds after its start
 * at the earliest.
 */
export const launchDaemon: Readonly<Record<string, Value>> = {
  Label: macLabel,
  ProgramArguments: [macPlaces.command, 'run'],
  RunAtLoad: true,
  KeepAlive: true,
  WorkingDirectory: '/',
  // In decimal: what it writes is read by its user alone.
  Umask: 0o077,
  StandardOutPath: macPlaces.log,
  StandardErrorPath: macPlaces.log,
}

function element(value: Value): string {
  if (typeof value === 'boolean') return value ? '<true/>' : '<false/>'
  if (typeof value === 'number') return `<integer>${value}</integer>`
  if (typeof value === 'string') return `<string>${xmlText(value)}</string>`
  return `<array>\n${value.map((one) => `    ${element(one)}\n`).join('')}  </array>`
}

/** A property list in XML, as plist(5) has it. */
export const propertyList = (values: Readonly<Record<string, Value>>): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
${Object.entries(values)
  .map(([key, value]) => `  <key>${xmlText(key)}</key>\n  ${element(value)}\n`)
  .join('')}</dict>
</plist>
`
