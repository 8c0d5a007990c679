import { fileURLToPath } from 'node:url';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * The build of the application. Every file but index.html has a hash in its name and may be cached for ever. Nothing is
 * inlined: the content security policy allows scripts and styles of the dashboard's own origin only.
 */
export default defineConfig({
  root: here('.'),
  plugins: [
    tanstackRouter({
      target: 'react',
      autoCodeSplitting: true,
      routesDirectory: here('src/routes'),
      generatedRouteTree: here('src/route-tree.gen.ts'),
      quoteStyle: 'single',
      semicolons: true,
      disableLogging: true,
    }),
    react(),
    { ...optimizeLocales.vite({ locales: ['en-US'] }), enforce: 'pre' },
  ],
  build: {
    target: 'es2024',
    manifest: true,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
