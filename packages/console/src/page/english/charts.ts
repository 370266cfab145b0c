export const charts = {
  asTable: 'Show as a table',
  day: 'Day (UTC)',
}
