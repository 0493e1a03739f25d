import Type, { type Static } from 'typebox'
import { deviceColumnNames } from './console-values.ts'
import { Choice, Flag, Nullable } from './schema-kit.ts'

const fields = {
  single_keys: Flag('Whether single keys do something.'),
  device_columns: Nullable(
    Type.Array(Choice(deviceColumnNames, 'A column.'), {
      uniqueItems: true,
      maxItems: deviceColumnNames.length,
      description: 'The columns of the list of devices, in their order; null: as they come.',
    }),
  ),
}

/** How an administrator likes the console, in whichever browser. */
export const ConsolePreferences = Type.Object(fields, {
  title: 'ConsolePreferences',
  description: 'How an administrator likes the console.',
  examples: [{ single_keys: true, device_columns: ['state', 'owner', 'seen'] }],
})
export type ConsolePreferences = Static<typeof ConsolePreferences>

export const ConsolePreferencesChange = Type.Partial(Type.Object(fields), {
  title: 'ConsolePreferencesChange',
  description: 'The preferences to change; what is left out stays.',
  examples: [{ single_keys: false }],
  additionalProperties: false,
})
export type ConsolePreferencesChange = Static<typeof ConsolePreferencesChange>
