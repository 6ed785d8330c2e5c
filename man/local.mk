# SPDX-License-Identifier: ISC
dist_man_MANS += %D%/sallyport.1 %D%/sallyport.7 %D%/sallyport-bag.5
dist_man_MANS += %D%/sallyport-contract.5
dist_man_MANS += %D%/sallyport-rules.5
