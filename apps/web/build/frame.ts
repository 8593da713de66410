import type { Plugin } from 'vite'

/** The frame of every page; the API fills it for each request. */
const frame = (script: string, rest: string) => `<!doctype html>
<html lang="uk">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <!--head--><title>Solstice</title><meta name="theme-color" content="#f6efe2"><!--/head-->
    ${script}
  </head>
  <body>
    <div id="page"></div>${rest && `\n    ${rest}`}
  </body>
</html>
`

/** Makes documents of the pages' files: the first line of each is its script, the second what is said without scripts. */
export function framedPages(): Plugin {
  return {
    name: 'framed-pages',
    transformIndexHtml: {
      order: 'pre',
      handler: (file) => {
        const [script = '', rest = ''] = file.trim().split('\n')
        return frame(script, rest)
      },
    },
  }
}
